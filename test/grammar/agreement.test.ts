/** Law "agreement": llama.cpp's engine, Ohm and the matcher accept the same texts. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { withListedCharacters } from '../../src/grammar/structural-tag/listed-characters.ts';
import { checkGrammar } from '../../src/language/expression/check-grammar.ts';
import {
  characterClass,
  choice,
  type Grammar,
  literal,
  optional,
  repeat,
  rule,
  sequence,
} from '../../src/language/expression/expression.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';
import { ohmMatcher } from '../support/ohm.ts';
import { anyGrammar, textsNear, verdict } from '../support/random-grammar.ts';
import { xgrammarMatcher } from '../support/xgrammar.ts';

const long = process.env.LAWS === 'long';
const engine = await loadEngineMatchers();

const seed = fc.nat(1_000_000);

function has(grammar: Grammar, ...severities: readonly string[]): boolean {
  return checkGrammar(grammar).some(({ severity }) => severities.includes(severity));
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

/** A class of characters of one to four bytes: some one by one, some in ranges, up to a few that are far apart. */
const anyClass = fc
  .uniqueArray(fc.constantFrom('a', 'z', '0', '-', ']', '^', '\\', 'é', 'ÿ', 'Ā', 'ж', '€', '一', '😀'), {
    minLength: 1,
    maxLength: 5,
  })
  .chain((characters) => fc.tuple(fc.constant(characters), fc.nat(12)))
  .map(([characters, length]) =>
    characterClass(
      ...characters.map((character, index): readonly [number, number] => {
        const code = character.codePointAt(0) ?? 0;
        return [code, code + (index === 0 ? length : 0)];
      }),
    ),
  );

/** Classes in all that may stand around them. */
const classGrammar = fc.tuple(anyClass, anyClass, fc.nat(3), fc.constantFrom('', 'a', 'é', '😀')).map(
  ([first, second, most, text]): Grammar => ({
    root: 'root',
    rules: new Map([
      ['root', sequence(repeat(first, 0, most + 1), choice(rule('more'), literal(text)))],
      ['more', sequence(second, optional(rule('more')))],
    ]),
  }),
);

test('XGrammar reads classes of characters as the matcher does, if they are listed', async () => {
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(classGrammar, seed, async (grammar, number) => {
      const judge = await xgrammarMatcher(printGbnf(withListedCharacters(grammar)));
      for (const text of textsNear(grammar, number, 12)) {
        const matcher = createMatcher(grammar);
        const ours = matcher.accept(text) && matcher.complete;
        expect({ text, accepted: await judge(text) }).toEqual({ text, accepted: ours });
        if (ours) accepted += 1;
      }
    }),
    { numRuns: long ? 3000 : 25 },
  );
  expect(accepted).toBeGreaterThan(20);
});

test('a class with more characters than can be listed stays as it is', () => {
  const body = characterClass([0x4e00, 0x9fa5]);
  const grammar: Grammar = { root: 'root', rules: new Map([['root', body]]) };
  expect(withListedCharacters(grammar)).toEqual(grammar);
});

describe('on random grammars and texts near them', () => {
  test("matcher and llama.cpp's engine agree, also on ambiguous grammars", () => {
    let accepted = 0;
    fc.assert(
      fc.property(anyGrammar, seed, (grammar, number) => {
        fc.pre(!has(grammar, 'unbuildable'));
        const judge = engine(printGbnf(grammar));
        accepted += compare(grammar, number, (text) => judge.accepts(text));
      }),
      { numRuns: long ? 20_000 : 80 },
    );
    expect(accepted).toBeGreaterThan(200);
  });

  test('matcher and Ohm agree where the check finds nothing', () => {
    let accepted = 0;
    fc.assert(
      fc.property(anyGrammar, seed, (grammar, number) => {
        fc.pre(!has(grammar, 'unbuildable', 'dead-end', 'ambiguous'));
        const judge = ohmMatcher(grammar);
        accepted += compare(grammar, number, (text) => judge.accepts(text));
      }),
      { numRuns: long ? 10_000 : 40 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});
