/** Learns from the renders of all probes where literals may be cut. */
import { type Boundaries, BoundaryStatistics } from '../literals/token-boundaries.ts';
import type { Probing } from './probing.ts';

/** Statistics over what touches free text in any probe. */
export function learnBoundaries({ prober, probes }: Probing): Boundaries {
  const boundaries = new BoundaryStatistics();
  for (const probe of Object.values(probes)) {
    const render = prober.conversation(probe);
    if (render !== null) boundaries.learn(render, prober.sentinels.pattern);
  }
  return { boundaries };
}
