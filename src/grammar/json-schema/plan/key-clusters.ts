/**
 * The order of keys where conditions speak of several of them: keys of one condition stand together, because
 * what comes between them multiplies with what the condition still asks.
 */
import { joinSets } from '../shapes/clauses.ts';

/** Fewer conditions than these leave the order as it is. */
const leastClusters = 4;

/** `keys` with those of each set of `conditions` next to each other, sets with a key in common being one. */
export function clusterKeys(
  keys: readonly string[],
  conditions: readonly ReadonlySet<string>[],
): readonly string[] {
  if (conditions.length < leastClusters) return keys;
  const clusters = joinSets(conditions);
  const several = new Set([...clusters.values()].filter((cluster) => cluster.size > 1));
  if (several.size < leastClusters) return keys;
  const rank = new Map(keys.map((key, index) => [key, index]));
  const ordered = new Set<string>();
  for (const key of keys) {
    if (ordered.has(key)) continue;
    const together = [...(clusters.get(key) ?? [key])].filter((each) => rank.has(each));
    for (const each of together.sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0))) ordered.add(each);
  }
  return [...ordered];
}
