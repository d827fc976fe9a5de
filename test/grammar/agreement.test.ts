/** Law "agreement": llama.cpp's engine, Ohm and the matcher accept the same texts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GrammarError } from '../../src/format/errors.ts';
import { checkGrammar } from '../../src/grammar/expression/check-grammar.ts';
import type { Grammar } from '../../src/grammar/expression/expression.ts';
import { printGbnf } from '../../src/grammar/gbnf/print-gbnf.ts';
import { createMatcher } from '../../src/grammar/matcher/matcher.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';
import { ohmMatcher } from '../support/ohm.ts';
import { anyGrammar, textsNear } from '../support/random-grammar.ts';

const long = process.env.LAWS === 'long';
const engine = await loadEngineMatchers();

const seed = fc.nat(1_000_000);

function has(grammar: Grammar, ...severities: readonly string[]): boolean {
  return checkGrammar(grammar).some(({ severity }) => severities.includes(severity));
}

/** What the matcher says of a text; `undefined` when the grammar is too ambiguous to go on. */
function verdict(grammar: Grammar, text: string): boolean | undefined {
  const matcher = createMatcher(grammar, { maxStacks: 30 });
  try {
    return matcher.accept(text) && matcher.complete;
  } catch (error) {
    if (error instanceof GrammarError) return undefined;
    throw error;
  }
}

/** Compares verdicts on texts near the grammar; says how many texts both accept. */
function compare(grammar: Grammar, seed: number, accepts: (text: string) => boolean): number {
  let accepted = 0;
  for (const text of textsNear(grammar, seed, 12)) {
    const ours = verdict(grammar, text);
    if (ours === undefined) continue;
    expect({ text, accepted: ours }).toEqual({ text, accepted: accepts(text) });
    if (ours) accepted += 1;
  }
  return accepted;
}

describe('on random grammars and texts near them', () => {
  test("matcher and llama.cpp's engine agree, also on ambiguous grammars", () => {
    let accepted = 0;
    fc.assert(
      fc.property(anyGrammar, seed, (grammar, number) => {
        fc.pre(!has(grammar, 'unbuildable'));
        const judge = engine(printGbnf(grammar));
        accepted += compare(grammar, number, (text) => judge.accepts(text));
      }),
      { numRuns: long ? 20_000 : 200 },
    );
    expect(accepted).toBeGreaterThan(600);
  });

  test('matcher and Ohm agree where the check finds nothing', () => {
    let accepted = 0;
    fc.assert(
      fc.property(anyGrammar, seed, (grammar, number) => {
        fc.pre(!has(grammar, 'unbuildable', 'dead-end', 'ambiguous'));
        const judge = ohmMatcher(grammar);
        accepted += compare(grammar, number, (text) => judge.accepts(text));
      }),
      { numRuns: long ? 10_000 : 100 },
    );
    expect(accepted).toBeGreaterThan(300);
  });
});
