/** Learns where literals may be cut from the renders of all probes. */
import type { Steps } from '../../language/expression/steps.ts';
import { type Boundaries, BoundaryStatistics } from '../literals/token-boundaries.ts';
import type { Probing } from './probing.ts';

/** Collects statistics of the literals next to free text in all probes. */
export function* learnBoundaries({ prober, probes }: Probing): Steps<Boundaries> {
  const boundaries = new BoundaryStatistics();
  for (const probe of Object.values(probes)) {
    const render = prober.conversation(probe);
    if (render !== null) boundaries.learn(render, prober.sentinels.pattern);
    yield;
  }
  return { boundaries };
}
