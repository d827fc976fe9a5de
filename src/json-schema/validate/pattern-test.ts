/** Tests strings against patterns, as the grammar reads patterns. */
import type { Automaton } from '../../language/regular/automaton.ts';
import { setHas } from '../../language/regular/character-set.ts';
import { UnsupportedPattern } from '../../language/regular/pattern-dialects.ts';
import { patternAutomaton } from '../plan/known-languages.ts';

/** Tells whether a text contains a match of a pattern. */
export type TextTest = (text: string) => boolean;

/**
 * A test for `pattern`. Patterns that no automaton can express use JavaScript's own engine; a model's arguments are
 * short enough for it. Throws `SyntaxError` for an invalid pattern.
 */
export function patternTest(pattern: string): TextTest {
  try {
    const { automaton } = patternAutomaton(pattern);
    if (automaton !== 'too large') return (text) => accepts(automaton, text);
  } catch (error) {
    if (!(error instanceof UnsupportedPattern)) throw error;
  }
  const expression = expressionOf(pattern);
  return (text) => expression.test(text);
}

function expressionOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}

function accepts({ states }: Automaton, text: string): boolean {
  let state = states[0];
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    const point = code >= 0xd800 && code <= 0xdfff ? 0xfffd : code;
    const edge = state?.edges.find(([set]) => setHas(set, point));
    if (edge === undefined) return false;
    state = states[edge[1]];
  }
  return state?.accepts === true;
}
