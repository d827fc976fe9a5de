/**
 * Law: where an engine is not asked to read a grammar, because it is large, biases alone leave exactly what it allows.
 * Half of the vocabulary may come next and half may not, which is too many for biases of other grammars.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CodePointRange,
  characterClass,
  choice,
  type Expression,
  type Grammar,
  literal,
  repeat,
  rule,
  sequence,
} from '../../src/language/expression/expression.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { indexTokens } from '../../src/language/matcher/token-index.ts';
import { AllowedTokens, allowedBias } from '../../src/runtime/engine/masks/allowed-tokens.ts';
import { isLarge } from '../../src/runtime/engine/masks/large-grammars.ts';

const encoder = new TextEncoder();
const letters = 'abcdefghijklmnop';

/** Four letters each: 65,536 tokens begin with one of the first eight letters, as many with one of the others. */
const words = Array.from({ length: 2 * letters.length ** 4 }, (_, id) => {
  const digits = Array.from({ length: 4 }, (_, place) => letters[Math.floor(id / 16 ** place) % 16] ?? '');
  return id < letters.length ** 4 ? digits.join('') : digits.join('').toUpperCase();
});
const starts = Uint32Array.from({ length: words.length + 1 }, (_, id) => 4 * id);
const index = indexTokens({ bytes: encoder.encode(words.join('')), starts }, words.keys());
const vocabulary = {
  index,
  size: words.length,
  ends: [],
  bytesOf: (token: number) => index.bytes.subarray(4 * token, 4 * token + 4),
  isSpecial: () => false,
};

/** Words of these letters, and then figures in a chain of so many rules. */
function wordsIn(ranges: readonly CodePointRange[], rules: number): Grammar {
  const named = new Map<string, Expression>();
  for (let at = 0; at < rules; at += 1)
    named.set(`n${at}`, choice(literal('.'), sequence(literal('0'), rule(`n${at + 1}`))));
  named.set(`n${rules}`, literal('.'));
  named.set('root', sequence(repeat(characterClass(...ranges), 1), rule('n0')));
  return { root: 'root', rules: named };
}

/** Whether a token may be drawn under these biases: none is favoured, or it is. */
function leaves(bias: ReadonlyMap<number, number>): (token: number) => boolean {
  const isFavouring = [...bias.values()].some((each) => each >= allowedBias);
  return (token) => (isFavouring ? (bias.get(token) ?? 0) > 0 : bias.get(token) !== Number.NEGATIVE_INFINITY);
}

const cuts = fc.integer({ min: 1, max: letters.length });
const small = (count: number): readonly CodePointRange[] => [[97, 96 + count]];
const both = (count: number): readonly CodePointRange[] => [...small(count), [65, 80]];

describe('biases of a large grammar', () => {
  it('leave what it allows, and nothing else', () => {
    const ranges = fc.oneof(cuts.map(small), cuts.map(both));
    fc.assert(
      fc.property(ranges, fc.constantFrom('', 'a', 'aa'), (allowed, before) => {
        const matcher = createMatcher(wordsIn(allowed, 3_000));
        expect(isLarge(matcher)).toBe(true);
        expect(matcher.accept(before)).toBe(true);
        const bias = new AllowedTokens(vocabulary).bias(matcher);
        const may = leaves(bias ?? new Map());
        const isAllowed = (word: string): boolean =>
          Array.from(word, (letter) => letter.charCodeAt(0)).every((code) =>
            allowed.some(([from, to]) => from <= code && code <= to),
          );
        expect(words.filter((word, token) => may(token) !== isAllowed(word))).toEqual([]);
      }),
      { numRuns: 12 },
    );
  });

  it('are there where those of others would be too long', () => {
    const biasOf = (rules: number) =>
      new AllowedTokens(vocabulary).bias(createMatcher(wordsIn(small(letters.length), rules)));
    expect(biasOf(3)).toBeNull();
    expect(biasOf(3_000)?.size).toBe(words.length / 2);
  });

  it('are there although another grammar with the same tokens needed none before', () => {
    const shared = new AllowedTokens(vocabulary);
    const biasOf = (rules: number) => shared.bias(createMatcher(wordsIn(small(letters.length), rules)));
    expect(biasOf(3)).toBeNull();
    expect(biasOf(3_000)?.size).toBe(words.length / 2);
    expect(biasOf(3)).toBeNull();
  });
});
