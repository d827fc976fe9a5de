/**
 * Orders keys by conditions: keys of one condition become adjacent, because keys in between multiply with the pending
 * condition.
 */
import { connectedMembers } from '../shapes/clauses.ts';

/** With fewer conditions, the order stays as it is. */
const minClusters = 4;

/** Reorders `keys` so that those of each set in `conditions` are adjacent; overlapping sets are merged. */
export function clusterKeys(
  keys: readonly string[],
  conditions: readonly ReadonlySet<string>[],
): readonly string[] {
  if (conditions.length < minClusters) return keys;
  const clusters = connectedMembers(conditions);
  const several = new Set([...clusters.values()].filter((cluster) => cluster.size > 1));
  if (several.size < minClusters) return keys;
  const rank = new Map(keys.map((key, index) => [key, index]));
  const ordered = new Set<string>();
  for (const key of keys) {
    if (ordered.has(key)) continue;
    const together = [...(clusters.get(key) ?? [key])].filter((each) => rank.has(each));
    for (const each of together.sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0))) ordered.add(each);
  }
  return [...ordered];
}
