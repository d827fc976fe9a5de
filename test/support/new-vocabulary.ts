/** Vocabularies that this process has not had: what is known of one is remembered, so a test of it would ask an earlier run. */
import { type TokenTrie, tokenTrie } from '../../src/language/matcher/masks/token-trie.ts';
import { indexTokens, type TokenTexts } from '../../src/language/matcher/token-index.ts';

let vocabularies = 0;

/** A text that no vocabulary of this process has had. */
export function newText(): Uint8Array {
  vocabularies += 1;
  return Buffer.from(`text ${vocabularies}`);
}

/** The bytes of tokens, one after the other. */
export function joinTokens(tokens: readonly Uint8Array[]): TokenTexts {
  const starts = new Uint32Array(tokens.length + 1);
  for (const [id, { length }] of tokens.entries()) starts[id + 1] = (starts[id] ?? 0) + length;
  return { bytes: Buffer.concat(tokens), starts };
}

/** The trie of these tokens, in a vocabulary with one more, which is left out. */
export function newTrie(tokens: readonly Uint8Array[]): TokenTrie {
  return tokenTrie(indexTokens(joinTokens([...tokens, newText()]), tokens.keys()));
}
