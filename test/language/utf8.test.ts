/** Well-formed UTF-8 in the matcher: what a decoder takes for a character counts as one, and nothing else is allowed. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { exceptCharacters, repeat, sequence } from '../../src/language/expression/expression.ts';
import { printGbnf } from '../../src/language/gbnf/print-gbnf.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { indexTokens } from '../../src/language/matcher/token-index.ts';
import { loadEngineMatchers } from '../support/grammar-engine.ts';

const engine = await loadEngineMatchers();
const most = 6;
const grammar = {
  root: 'root',
  rules: new Map([['root', sequence(repeat(exceptCharacters([0x22, 0x22]), 0, most))]]),
};

/** The bytes that tables of UTF-8 name, their neighbours, and others. */
const edges = [
  0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf, 0xe0, 0xe1, 0xec, 0xed,
];
const byte = fc.oneof(
  fc.constantFrom(...edges, 0xee, 0xef, 0xf0, 0xf1, 0xf3, 0xf4, 0xf5, 0xf7, 0xf8, 0xff),
  fc.integer({ min: 0x80, max: 0xbf }),
  fc.constantFrom(0xe2, 0xe0, 0xed, 0xf0, 0xf4),
);
const someBytes = fc
  .array(
    fc.oneof(
      byte.map((each) => [each]),
      fc.string({ unit: 'binary', maxLength: 2 }).map(encode),
    ),
    {
      maxLength: 8,
    },
  )
  .map((parts) => Uint8Array.from(parts.flat()).filter((each) => each !== 0 && each !== 0x22));

function encode(text: string): number[] {
  return [...new TextEncoder().encode(text)];
}

/** The text; `null` if the bytes are not that of one. */
function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

test('exactly the texts of so many characters are allowed', () => {
  let accepted = 0;
  fc.assert(
    fc.property(someBytes, (bytes) => {
      const text = decode(bytes);
      const matcher = createMatcher(grammar);
      const isAllowed = matcher.accept(bytes) && matcher.complete;
      expect(isAllowed).toBe(text !== null && Array.from(text).length <= most);
      accepted += isAllowed ? 1 : 0;
    }),
    { numRuns: process.env.LAWS === 'long' ? 30_000 : 700 },
  );
  expect(accepted).toBeGreaterThan(30);
});

test('every byte that llama.cpp lets through and the matcher does not is an ill-formed token', () => {
  const judge = engine(printGbnf(grammar));
  const bytes = Uint8Array.from({ length: 256 }, (_, each) => each);
  const index = indexTokens({ bytes, starts: Uint32Array.from({ length: 257 }, (_, id) => id) }, bytes);
  const all = [...bytes].slice(1);
  const seconds = [0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf];
  const one = all.slice(0x7f).map((first) => [first]);
  const two = one.flatMap((first) => seconds.map((second) => [...first, second]));
  const places = [[], ...one, ...two, ...two.map((each) => [...each, 0xbf])];
  let differing = 0;
  for (const place of places) {
    const matcher = createMatcher(grammar);
    if (!matcher.accept(Uint8Array.from(place)) || matcher.complete === place.length > 0) continue;
    const illFormed = matcher.illFormedTokens(index);
    for (const next of all) {
      const isAllowed = matcher.allows(Uint8Array.of(next));
      expect(illFormed.includes(next) && isAllowed).toBe(false);
      const isTaken = judge.run(Uint8Array.from([...place, next])).alive;
      expect([place, next, isTaken]).toEqual([
        place,
        next,
        isAllowed || (isTaken && illFormed.includes(next)),
      ]);
      differing += isTaken && !isAllowed ? 1 : 0;
    }
  }
  expect(differing).toBeGreaterThan(100);
});

test('a token that is ill-formed in itself is never allowed, one that is cut is', () => {
  const tokens = [
    [0xed, 0xa0, 0x80],
    [0xe2, 0x41],
    [0xf0, 0x9f],
    [0x98, 0x80],
    [0x98, 0x80, 0xc0],
    [0x41, 0xff],
  ];
  const starts = [0];
  for (const token of tokens) starts.push((starts.at(-1) ?? 0) + token.length);
  const texts = { bytes: Uint8Array.from(tokens.flat()), starts: Uint32Array.from(starts) };
  const index = indexTokens(texts, tokens.keys());
  const matcher = createMatcher(grammar);
  expect([...matcher.illFormedTokens(index)].sort()).toEqual([0, 1, 5]);
  expect(matcher.accept(Uint8Array.of(0xf0, 0x9f))).toBe(true);
  expect(matcher.illFormedTokens(index)).toEqual([4]);
  expect(matcher.illFormedTokens(index)).toBe(matcher.clone().illFormedTokens(index));
});
