/** Texts and automata: whether one is accepted, and one at random. */
import type { Automaton } from '../../src/language/regular/automaton.ts';
import { codePoint, setHas } from '../../src/language/regular/character-set.ts';

/** Whether `text` is accepted. */
export function automatonAccepts(automaton: Automaton, text: string): boolean {
  let state = automaton.states[0];
  for (const character of text) {
    const point = codePoint(character);
    const edge = state?.edges.find(([set]) => setHas(set, point));
    if (edge === undefined) return false;
    state = automaton.states[edge[1]];
  }
  return state?.accepts ?? false;
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
