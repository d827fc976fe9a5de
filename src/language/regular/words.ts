/** The words of a finite language, one by one. */
import type { Automaton } from './automaton.ts';
import { withoutDeadEdges } from './minimise.ts';

/** Code points of a word: the search calls itself for each. */
const maxWordLength = 1_000;

/**
 * All accepted texts, sorted by their UTF-16 units; `null` if there are more than `limit`, or one is too long. Each
 * state leads to a word, so what is one too many is soon found.
 */
export function wordsOf(automaton: Automaton, limit: number): readonly string[] | null {
  const states = withoutDeadEdges(automaton.states);
  const found: string[] = [];
  const collect = (state: number, word: string, length: number): boolean => {
    const { accepts, edges } = states[state] ?? { accepts: false, edges: [] };
    if (accepts) found.push(word);
    if (found.length > limit || length > maxWordLength) return false;
    for (const [set, target] of edges) {
      for (const [from, to] of set) {
        for (let point = from; point <= to; point += 1)
          if (!collect(target, word + String.fromCodePoint(point), length + 1)) return false;
      }
    }
    return true;
  };
  return collect(0, '', 0) ? found.sort() : null;
}
