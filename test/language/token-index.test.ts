/** A vocabulary in the order of its bytes, however long its tokens are and whatever they share. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { indexTokens, type TokenTexts } from '../../src/language/matcher/token-index.ts';

/** Few bytes, so that many tokens share beginnings, also longer ones than are compared at once. */
const token = fc
  .array(fc.constantFrom(0, 1, 65, 254, 255), { maxLength: 9, size: 'max' })
  .map((bytes) => Uint8Array.from(bytes));

/** Of the largest size: few tokens are sorted in another way. */
function many(tokens: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Uint8Array[]> {
  return fc.array(tokens, { maxLength: 120, size: 'max' });
}
const repeated = ['', 'a', 'ab', 'b'].map((text) => Uint8Array.from(Buffer.from(text)));

function join(tokens: readonly Uint8Array[]): TokenTexts {
  const starts = new Uint32Array(tokens.length + 1);
  tokens.forEach(({ length }, id) => {
    starts[id + 1] = (starts[id] ?? 0) + length;
  });
  return { bytes: Buffer.concat(tokens), starts };
}

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
        const { ids: sorted, longest } = indexTokens(join(tokens), ids);
        expect([...sorted]).toEqual(expected);
        expect(longest).toBe(Math.max(0, ...ids.map((id) => tokens[id]?.length ?? 0)));
      },
    ),
    { numRuns: 150 },
  );
});

test('the same vocabulary has the same index, and another one its own', () => {
  const tokens = ['a', 'b', 'ab', ''].map((text) => Buffer.from(text));
  const index = indexTokens(join(tokens), [0, 1, 2, 3]);
  const copy = tokens.map((each) => Buffer.from(each));
  expect(indexTokens(join(copy), [3, 2, 1, 0])).toBe(index);
  const others = [
    indexTokens(join(tokens), [0, 1]),
    indexTokens(join([...tokens.slice(0, 2), Buffer.from('ac'), ...tokens.slice(3)]), [0, 1, 2, 3]),
    indexTokens(join([...tokens, Buffer.from('c')]), [0, 1, 2, 3]),
    indexTokens(join(['ab', 'a', 'b', ''].map((text) => Buffer.from(text))), [0, 1, 2, 3]),
    indexTokens({ ...join(tokens), bytes: Buffer.from('abab and more') }, [0, 1, 2, 3]),
  ];
  for (const other of others) expect(other).not.toBe(index);
});
