/** Writes listed texts as a trie of literals in which the next character decides, without an automaton. */
import { commonPrefix } from '../../language/expression/alternatives.ts';
import { choice, type Expression, empty, literal, sequence } from '../../language/expression/expression.ts';

/** Maximum number of nested branches; beyond, rules of an automaton are easier on recursive readers. */
const maxDepth = 100;

/** One of `texts`; `null` if they nest too deeply. */
export function wordTrie(texts: readonly string[]): Expression | null {
  const sorted = [...new Set(texts)].sort();
  return sorted.length === 0 ? null : trieOf(sorted, 0, sorted.length, 0, 0);
}

/** The texts of `sorted` from `low` to `high` (exclusive), without their first `from` code units, which are equal. */
function trieOf(
  sorted: readonly string[],
  low: number,
  high: number,
  from: number,
  depth: number,
): Expression | null {
  const first = sorted[low] ?? '';
  const common = commonPrefix(first, sorted[high - 1] ?? '').length;
  const lead = literal(first.slice(from, common));
  if (high - low === 1) return lead;
  if (depth > maxDepth) return null;
  const branches: Expression[] = [];
  const ends = first.length === common;
  for (let at = ends ? low + 1 : low; at < high; ) {
    const start = at;
    const point = sorted[start]?.codePointAt(common);
    while (at < high && sorted[at]?.codePointAt(common) === point) at += 1;
    const branch = trieOf(sorted, start, at, common, depth + 1);
    if (branch === null) return null;
    branches.push(branch);
  }
  return sequence(lead, choice(...branches, ...(ends ? [empty] : [])));
}
