/**
 * Laws of a vocabulary as a trie, and of its tokens seen from a class of characters. Each vocabulary is one that this
 * process has not had, so nothing about it is known from an earlier run.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lookupSet } from '../../src/language/matcher/lookup-set.ts';
import { addTokens } from '../../src/language/matcher/masks/token-bitmap.ts';
import { TokenRuns } from '../../src/language/matcher/masks/token-runs.ts';
import { noToken, type TokenTrie, tokensOf, tokenTrie } from '../../src/language/matcher/masks/token-trie.ts';
import { indexTokens, type TokenIndex } from '../../src/language/matcher/token-index.ts';

const encoder = new TextEncoder();

let vocabularies = 0;

/** The index of these tokens, and of one more in no other vocabulary, which is left out of the index. */
function indexOf(tokens: readonly Uint8Array[]): TokenIndex {
  vocabularies += 1;
  const all = [...tokens, encoder.encode(`text ${vocabularies}`)];
  const starts = new Uint32Array(all.length + 1);
  for (const [id, { length }] of all.entries()) starts[id + 1] = (starts[id] ?? 0) + length;
  return indexTokens({ bytes: Buffer.concat(all), starts }, tokens.keys());
}

/** Texts of few characters, some cut within one, some twice; and bytes that begin no character. */
const piece = fc.constantFrom(...'aabbcz09 "{é€😀ü'.split(/(?:)/u));
const word = fc.string({ unit: piece, minLength: 1, maxLength: 6, size: 'max' });
const token = fc.oneof(
  { weight: 6, arbitrary: word.map((text) => encoder.encode(text)) },
  { weight: 2, arbitrary: fc.tuple(word, fc.integer({ min: 1, max: 3 })).map(cutEnd) },
  { weight: 1, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 3, min: 0x80 }) },
);
const vocabulary = fc.array(token, { minLength: 1, maxLength: 80, size: 'max' });

function cutEnd([text, bytes]: readonly [string, number]): Uint8Array {
  const all = encoder.encode(text);
  return all.subarray(0, Math.max(1, all.length - bytes));
}

function hex(bytes: Iterable<number>): string {
  return Buffer.from([...bytes]).toString('hex');
}

/** The bytes that lead to a node. */
function bytesTo({ labels, parents }: TokenTrie, node: number): readonly number[] {
  return node < 0
    ? []
    : [...bytesTo({ labels, parents } as TokenTrie, parents[node] ?? -1), (labels[node] ?? 0) & 0xff];
}

test('a trie has one node for each beginning of a token, in the order of their bytes', () => {
  fc.assert(
    fc.property(vocabulary, (tokens) => {
      const trie = tokenTrie(indexOf(tokens));
      const beginnings = new Set(
        tokens.flatMap((each) => [...each.keys()].map((end) => hex(each.subarray(0, end + 1)))),
      );
      const nodes = Array.from({ length: trie.size }, (_, node) => hex(bytesTo(trie, node)));
      expect(nodes).toEqual([...beginnings].sort());
      for (const [node, text] of nodes.entries()) {
        const label = trie.labels[node] ?? 0;
        expect(label >>> 8).toBe(text.length / 2 - 1);
        const after = nodes.findIndex((other, at) => at > node && !other.startsWith(text));
        expect(trie.ends[node]).toBe(after < 0 ? trie.size : after);
        const here = [...tokensOf(trie, trie.tokens[node] ?? noToken)];
        expect(here).toEqual([...tokens.keys()].filter((id) => hex(tokens[id] ?? []) === text));
      }
      expect([...trie.roots]).toEqual(Array.from({ length: 256 }, (_, byte) => nodes.indexOf(hex([byte]))));
      expect(trie.words).toBe(((tokens.length - 1) >> 5) + 1);
    }),
  );
});

/** Characters of a class: some of ASCII, some above. */
const classes = fc.record({
  ascii: fc.subarray([...'abcz09 "{']),
  high: fc.subarray([...'éü€😀']),
});

/** How a token is made of the characters of a class: it consists of them, or leaves them by a byte, or is none of its texts. */
type Made =
  | { readonly inside: number }
  | { readonly leaves: number; readonly after: number; readonly end: number }
  | null;

function howMade(bytes: Uint8Array, ascii: readonly string[], high: readonly string[]): Made {
  const members = high.map((text) => hex(encoder.encode(text)));
  let characters = 0;
  for (let at = 0; at < bytes.length; ) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) {
      if (!ascii.includes(String.fromCharCode(byte))) return { leaves: byte, after: characters, end: at + 1 };
      [at, characters] = [at + 1, characters + 1];
      continue;
    }
    if (high.length === 0)
      return byte >= 0xc2 && byte <= 0xf4 ? { leaves: byte, after: characters, end: at + 1 } : null;
    const rest = hex(bytes.subarray(at));
    const member = members.find((each) => rest.startsWith(each) || each.startsWith(rest));
    if (member === undefined) return null;
    [at, characters] = [at + member.length / 2, characters + 1];
  }
  return { inside: characters };
}

test('the runs of a class are the tokens of its characters, and where others leave it', () => {
  fc.assert(
    fc.property(vocabulary, classes, fc.boolean(), (tokens, { ascii, high }, isInSteps) => {
      const index = indexOf(tokens);
      const trie = tokenTrie(index);
      const bits = new Uint32Array(4);
      addTokens(
        bits,
        ascii.map((text) => text.charCodeAt(0)),
      );
      const ranges = high.map((text) => text.codePointAt(0) ?? 0).sort((a, b) => a - b);
      const set = ranges.length === 0 ? null : lookupSet(ranges.map((code) => [code, code]));
      const runs = new TokenRuns(trie, {
        ascii: bits,
        high: set,
        key: '',
      });
      if (isInSteps) while (runs.advance());
      const made = tokens.map((each) => howMade(each, ascii, high));
      const longest = Math.max(
        0,
        ...made.map((each) => (each === null ? 0 : 'inside' in each ? each.inside : each.after)),
      );
      expect(runs.longest).toBe(longest);
      for (let most = 0; most <= longest + 1; most += 1) {
        const expected = new Uint32Array(trie.words);
        addTokens(
          expected,
          [...tokens.keys()].filter((id) => isInside(made[id] ?? null, most)),
        );
        expect(runs.upTo(most)).toEqual(expected);
      }
      for (const [byte, { nodes, places }] of runs.exits.entries()) {
        for (let after = 0; after < places.length - 1; after += 1) {
          const found = [...nodes.subarray(places[after], places[after + 1])].map((node) =>
            hex(bytesTo(trie, node)),
          );
          expect(new Set(found)).toEqual(exitsOf(tokens, made, byte, after));
          expect(found.length).toBe(new Set(found).size);
        }
        expect(exitsOf(tokens, made, byte, places.length - 1).size).toBe(0);
        expect(places.at(-1)).toBe(nodes.length);
      }
    }),
  );
});

function isInside(made: Made, most: number): boolean {
  return made !== null && 'inside' in made && made.inside <= most;
}

/** The beginnings of tokens that leave by `byte` after so many characters. */
function exitsOf(
  tokens: readonly Uint8Array[],
  made: readonly Made[],
  byte: number,
  after: number,
): Set<string> {
  return new Set(
    made.flatMap((each, id) =>
      each !== null && 'leaves' in each && each.leaves === byte && each.after === after
        ? [hex(tokens[id]?.subarray(0, each.end) ?? [])]
        : [],
    ),
  );
}
