/** Words of automata: all of a few, or some of many. */
import type { Automaton } from './automaton.ts';
import type { CharacterSet } from './character-set.ts';

/** All accepted texts where there are at most `limit`, else `null`. */
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

/** One accepted text, or `null` where there is none. `random` gives numbers in [0, 1). */
export function sampleWord(automaton: Automaton, random: () => number): string | null {
  let state = automaton.states[0];
  let word = '';
  for (let steps = 0; state !== undefined; steps += 1) {
    const { accepts, edges } = state;
    if (accepts && (edges.length === 0 || random() < 0.3 || steps > 200)) return word;
    const edge = edges[Math.floor(random() * edges.length)];
    const range = edge?.[0][Math.floor(random() * edge[0].length)];
    if (edge === undefined || range === undefined || steps > 4000) return null;
    word += String.fromCodePoint(range[0] + Math.floor(random() * (range[1] - range[0] + 1)));
    state = automaton.states[edge[1]];
  }
  return null;
}
