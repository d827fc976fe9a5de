/** Law: the trie of a vocabulary has the beginnings of its tokens, and leads from each to what is below it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { noToken, type TokenTrie, tokensOf } from '../../src/language/matcher/masks/token-trie.ts';
import { newTrie } from '../support/new-vocabulary.ts';

const encoder = new TextEncoder();

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
      const trie = newTrie(tokens);
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
