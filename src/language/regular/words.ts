/** The words of a finite language, one by one. */
import type { Automaton } from './automaton.ts';
import type { CharacterSet } from './character-set.ts';
import { withoutDeadEdges } from './minimise.ts';

/** Code points of a word: the search calls itself for each. */
const maxWordLength = 1_000;

/** All accepted texts, in the order of their characters; `null` if there are more than `limit`, or one is too long. */
export function wordsOf(automaton: Automaton, limit: number): readonly string[] | null {
  const states = withoutDeadEdges(automaton.states);
  const found: string[] = [];
  const collect = (state: number, word: string, length: number): boolean => {
    const { accepts, edges } = states[state] ?? { accepts: false, edges: [] };
    if (accepts) found.push(word);
    if (found.length > limit || length > maxWordLength) return false;
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
