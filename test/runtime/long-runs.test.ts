/** Laws of tokenising long texts in windows, with a tokenizer whose tokens are easily said: up to five letters of a word. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { finish } from '../../src/language/expression/steps.ts';
import { encodeWindows } from '../../src/runtime/engine/tokens/long-runs.ts';

const longest = 5;
/** Tokens as numbers of their texts. */
const texts: string[] = [];
const numbers = new Map<string, number>();

function numberOf(text: string): number {
  const number = numbers.get(text) ?? texts.push(text) - 1;
  numbers.set(text, number);
  return number;
}

/** White space and words are apart; each is cut after every fifth character. */
function tokensOf(text: string): readonly number[] {
  const words = text.match(/\s+|\S+/gu) ?? [];
  return words.flatMap((word) => {
    const characters = Array.from(word);
    return Array.from({ length: Math.ceil(characters.length / longest) }, (_, at) =>
      numberOf(characters.slice(at * longest, (at + 1) * longest).join('')),
    );
  });
}

/** The tokens, and the pieces that were tokenised on the way. */
function encoded(text: string, splits: boolean) {
  const pieces: string[] = [];
  const steps = encodeWindows(text, {
    encode: (piece) => {
      pieces.push(piece);
      return tokensOf(piece);
    },
    widthOf: (token) => Buffer.byteLength(texts[token] ?? ''),
    splits,
  });
  return { tokens: finish(steps), pieces };
}

const runs = fc.array(
  fc.tuple(
    fc.constantFrom('a', 'é', '漢', '😀', ' ', '\n', '\u3000', 'word '),
    fc.constantFrom(1, 7, 3_999, 4_000, 4_001, 26_003),
  ),
  { minLength: 1, maxLength: 6 },
);
const text = runs.map((parts) => parts.map(([unit, times]) => unit.repeat(times)).join(''));

function longestRun(piece: string): number {
  return Math.max(...(piece.match(/\s+|\S+/g) ?? ['']).map(({ length }) => length));
}

describe.each([true, false])('a tokenizer that splits texts into words: %s', (splits) => {
  it('has the tokens of the whole text', () => {
    fc.assert(
      fc.property(text, (whole) => {
        expect(encoded(whole, splits).tokens).toEqual(tokensOf(whole));
      }),
      { numRuns: 20 },
    );
  });

  it('gets no more at once than it can take, with whole characters', () => {
    fc.assert(
      fc.property(text, (whole) => {
        for (const piece of encoded(whole, splits).pieces) {
          expect(piece.isWellFormed()).toBe(true);
          expect(piece.length).toBeLessThanOrEqual(25_000);
          if (splits) expect(longestRun(piece)).toBeLessThanOrEqual(4_001);
        }
      }),
      { numRuns: 20 },
    );
  });
});
