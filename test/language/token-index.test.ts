/** A vocabulary in the order of its bytes, however long its tokens are and whatever they share. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  indexTokens,
  sharedIndex,
  type TokenTexts,
  tokensFrom,
} from '../../src/language/matcher/token-index.ts';
import { joinTokens, newText } from '../support/new-vocabulary.ts';

/** Few bytes, so that many tokens share beginnings, also longer ones than are compared at once. */
const token = fc
  .array(fc.constantFrom(0, 1, 65, 254, 255), { maxLength: 9, size: 'max' })
  .map((bytes) => Uint8Array.from(bytes));

/** Of the largest size: few tokens are sorted in another way. */
function many(tokens: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array[]> {
  return fc.array(tokens, { maxLength: 120, size: 'max' });
}
const repeated = ['', 'a', 'ab', 'b'].map((text) => Uint8Array.from(Buffer.from(text)));

test('tokens come in the order of their bytes, equal ones by id, empty ones not at all', () => {
  fc.assert(
    fc.property(
      fc.oneof(many(token), many(fc.constantFrom(...repeated))),
      fc.integer({ min: 1, max: 3 }),
      (tokens, step) => {
        const ids = tokens.map((_, id) => id).filter((id) => id % step === 0);
        const expected = ids
          .filter((id) => tokens[id]?.length !== 0)
          .sort((a, b) => Buffer.compare(tokens[a] ?? Buffer.of(), tokens[b] ?? Buffer.of()) || a - b);
        const { ids: sorted, longest } = indexTokens(joinTokens([...tokens, newText()]), ids);
        expect([...sorted]).toEqual(expected);
        expect(longest).toBe(Math.max(0, ...ids.map((id) => tokens[id]?.length ?? 0)));
      },
    ),
    { numRuns: 150 },
  );
});

test('the tokens with a beginning are those that have it', () => {
  fc.assert(
    fc.property(many(token), token, fc.nat(4), (tokens, other, length) => {
      const index = indexTokens(joinTokens([...tokens, newText()]), tokens.keys());
      for (const beginning of [
        other,
        other.subarray(0, length),
        ...tokens.map((each) => each.subarray(0, length)),
      ]) {
        const expected = [...index.ids].filter((id) => beginsWith(tokens[id] ?? Buffer.of(), beginning));
        expect([...tokensFrom(index, beginning)]).toEqual(expected);
      }
    }),
    { numRuns: 50 },
  );
});

function beginsWith(bytes: Uint8Array, beginning: Uint8Array): boolean {
  return Buffer.compare(bytes.subarray(0, beginning.length), beginning) === 0;
}

const words = ['a', 'b', 'ab', ''].map((text) => Buffer.from(text));

test('the same vocabulary has the same index', () => {
  const tokens = [newText(), ...words];
  const ids = [...tokens.keys()];
  const index = indexTokens(joinTokens(tokens), ids);
  const copy = joinTokens(tokens.map((each) => Buffer.from(each)));
  expect(indexTokens(copy, ids.toReversed())).toBe(index);
  expect(sharedIndex({ ...index, ...copy })).toBe(index);
});

/** The texts and ids of a vocabulary, of which the first token is `first`. */
type Other = (first: Uint8Array) => readonly [texts: TokenTexts, ids: readonly number[]];

test.each<readonly [string, Other]>([
  ['fewer tokens', (first) => [joinTokens([first, ...words]), [0, 1]]],
  [
    'another token',
    (first) => [
      joinTokens([first, words[0], words[1], Buffer.from('ac'), words[3]].flatMap((each) => each ?? [])),
      [0, 1, 2, 3, 4],
    ],
  ],
  ['one more token', (first) => [joinTokens([first, ...words, Buffer.from('c')]), [0, 1, 2, 3, 4]]],
  [
    'one more token of these',
    (first) => [joinTokens([first, ...words, Buffer.from('c')]), [0, 1, 2, 3, 4, 5]],
  ],
  [
    'tokens cut elsewhere',
    (first) => [
      joinTokens([first, ...['ab', 'a', 'b', ''].map((text) => Buffer.from(text))]),
      [0, 1, 2, 3, 4],
    ],
  ],
  ['other tokens of the same', (first) => [joinTokens([first, ...words]), [0, 1, 4, 4, 2]]],
])('a vocabulary of %s has another index', (_, other) => {
  const first = newText();
  const index = indexTokens(joinTokens([first, ...words]), [0, 1, 2, 3, 4]);
  expect(indexTokens(...other(first))).not.toBe(index);
});

test('four indexes are known, as long as others are not later', () => {
  const made = Array.from({ length: 5 }, () => {
    const texts = joinTokens([newText(), Buffer.from('a')]);
    return { texts, index: indexTokens(texts, [0, 1]) };
  });
  const [oldest, ...latest] = made;
  for (const { texts, index } of latest) expect(indexTokens(texts, [0, 1])).toBe(index);
  expect(oldest && indexTokens(oldest.texts, [0, 1])).not.toBe(oldest?.index);
});
