/** Law: which tokens are runs of a class, and where others leave it, as one reads off their characters one by one. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lookupSet } from '../../src/language/matcher/lookup-set.ts';
import { listTokens } from '../../src/language/matcher/masks/token-bitmap.ts';
import { TokenRuns } from '../../src/language/matcher/masks/token-runs.ts';
import type { TokenTrie } from '../../src/language/matcher/masks/token-trie.ts';
import { newTrie } from '../support/new-vocabulary.ts';

const encoder = new TextEncoder();

/** Characters of one to four bytes, among them the first and last of each length, and neighbours in UTF-8. */
const characters = Array.from(
  '\0 @`a\u007f\u0080\u07ff\u0800éê\ud7ff\ue000€₭\uffff\u{10000}😀😁\u{3ffff}\u{10ffff}',
);

const piece = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...characters).map((char) => encoder.encode(char)) },
  // Also beginnings of characters, what continues none, and what UTF-8 forbids.
  fc
    .tuple(fc.constantFrom(...characters.slice(6)), fc.integer({ min: 1, max: 3 }))
    .map(([char, length]) => encoder.encode(char).slice(0, length)),
  fc.uint8Array({ minLength: 1, maxLength: 2, min: 0x80 }),
);
const someTokens = fc.array(
  fc
    .array(piece, { minLength: 1, maxLength: 6, size: 'max' })
    .map((pieces) => Uint8Array.from(Buffer.concat(pieces))),
  { minLength: 1, maxLength: 60, size: 'max' },
);

const someClass = fc.record({
  ascii: fc.subarray(characters.slice(0, 6), { minLength: 1 }),
  /** The class has these, and no others; empty if it has none above ASCII. */
  high: fc.oneof(fc.constant([]), fc.subarray(characters.slice(6))),
});
type SomeClass = typeof someClass extends fc.Arbitrary<infer Value> ? Value : never;

/** `isInSteps`: what is asked first finds nothing left to look at. */
function runsOf(trie: TokenTrie, { ascii, high }: SomeClass, isInSteps: boolean): TokenRuns {
  const codes = (chars: readonly string[]) => chars.map((char) => char.codePointAt(0) ?? 0);
  const ranges = (chars: readonly string[]) =>
    codes(chars)
      .toSorted((a, b) => a - b)
      .map((code): [number, number] => [code, code]);
  const runs = new TokenRuns(trie, {
    ascii: lookupSet(ranges(ascii)).ascii,
    high: high.length === 0 ? null : lookupSet(ranges(high)),
    key: '',
  });
  if (isInSteps) while (runs.advance());
  return runs;
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Members read from the beginning of a token, and what is left behind the last whole one. */
function readMembers(
  token: string,
  members: readonly string[],
): { readonly count: number; readonly rest: string } {
  let count = 0;
  let rest = token;
  for (;;) {
    const member = members.find((each) => rest.startsWith(each));
    if (member === undefined) return { count, rest };
    rest = rest.slice(member.length);
    count += 1;
  }
}

test('tokens are runs of a class where they are its characters, of which the last may be incomplete', () => {
  fc.assert(
    fc.property(someTokens, someClass, fc.boolean(), (tokens, each, isInSteps) => {
      const members = [...each.ascii, ...each.high].map((char) => hex(encoder.encode(char)));
      const runs = runsOf(newTrie(tokens), each, isInSteps);
      const lengths = tokens.map((token) => {
        const { count, rest } = readMembers(hex(token), members);
        if (rest === '') return count;
        return members.some((member) => member.startsWith(rest)) ? count + 1 : Number.POSITIVE_INFINITY;
      });
      for (const most of [0, 1, 2, 3, 5, 6, 100, 2]) {
        const expected = [...tokens.keys()].filter((token) => (lengths[token] ?? 0) <= most);
        expect(listTokens(runs.upTo(most), tokens.length)).toEqual(expected);
      }
    }),
    { numRuns: 150 },
  );
});

test('tokens leave a class by the first byte that begins another character', () => {
  fc.assert(
    fc.property(someTokens, someClass, fc.boolean(), (tokens, each, isInSteps) => {
      const members = [...each.ascii, ...each.high].map((char) => hex(encoder.encode(char)));
      const trie = newTrie(tokens);
      const runs = runsOf(trie, each, isInSteps);
      const expected = new Map<string, { byte: number; count: number }>();
      for (const token of tokens) {
        const { count, rest } = readMembers(hex(token), members);
        if (rest === '') continue;
        const byte = Number.parseInt(rest.slice(0, 2), 16);
        // Where the class has letters beyond ASCII, no state goes on with others of these; and 80 to c1 and f5 to ff
        // begin no character (table 3-7 of Unicode).
        const isExit = byte < 0x80 || (each.high.length === 0 && byte >= 0xc2 && byte <= 0xf4);
        if (isExit) expected.set(hex(token).slice(0, hex(token).length - rest.length + 2), { byte, count });
      }
      const found = new Map<string, { byte: number; count: number }>();
      for (const [byte, { nodes, places }] of runs.exits.entries()) {
        expect(places.at(-1)).toBe(nodes.length);
        for (let count = 0; count + 1 < places.length; count += 1) {
          for (const node of nodes.subarray(places[count], places[count + 1])) {
            found.set(textOf(trie, node), { byte, count });
          }
        }
      }
      expect(found).toEqual(expected);
      // A character that is begun counts, whatever follows.
      const most = tokens.map((token) => {
        const { count, rest } = readMembers(hex(token), members);
        return rest !== '' && members.some((member) => member.startsWith(rest.slice(0, 2)))
          ? count + 1
          : count;
      });
      // What is longer than any run adds nothing, and something is as long as the longest.
      const longest = [...expected.values()].map(({ count }) => count);
      expect(runs.longest).toBeGreaterThanOrEqual(Math.max(0, ...longest));
      expect(runs.longest).toBeLessThanOrEqual(Math.max(...most));
      expect(runs.upTo(runs.longest)).toEqual(runs.upTo(Number.MAX_SAFE_INTEGER));
    }),
    { numRuns: 150 },
  );
});

/** The bytes up to a node. */
function textOf(trie: TokenTrie, node: number): string {
  let text = '';
  for (let each = node; each >= 0; each = trie.parents[each] ?? -1) {
    text = hex(Uint8Array.of((trie.labels[each] ?? 0) & 0xff)) + text;
  }
  return text;
}
