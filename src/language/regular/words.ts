/** Lists the words of small automata. */
import type { Automaton } from './automaton.ts';
import type { CharacterSet } from './character-set.ts';

/** All accepted texts; `null` if there are more than `limit`. */
export function wordsOf(automaton: Automaton, limit: number): readonly string[] | null {
  const found: string[] = [];
  const maxLength = automaton.states.length;
  const collect = (state: number, word: string, length: number): boolean => {
    const { accepts, edges } = automaton.states[state] ?? { accepts: false, edges: [] };
    if (accepts) found.push(word);
    if (found.length > limit || length > maxLength) return false;
    return edges.every(([set, target]) =>
      firstCharacters(set, limit + 1).every((character) => collect(target, word + character, length + 1)),
    );
  };
  return collect(0, '', 0) ? found : null;
}

/** Up to `limit` characters of a set. */
function firstCharacters(set: CharacterSet, limit: number): readonly string[] {
  const found: string[] = [];
  for (const [from, to] of set) {
    for (let point = from; point <= to && found.length < limit; point += 1) {
      found.push(String.fromCodePoint(point));
    }
  }
  return found;
}
