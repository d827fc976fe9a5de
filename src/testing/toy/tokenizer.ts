/** The tokenizers of engines in JavaScript: the toy's bytes and merges, with any special tokens. */
import type { EngineTokenizer } from '../../runtime/engine/engine.ts';
import { fileTokenizer } from '../evaluator/file-tokenizer.ts';
import { type SpecialTexts, vocabularyWith } from './vocabulary.ts';

/** Tokenizers that are kept, the latest ones: chats sort a vocabulary, and remember places of grammars, for each. */
const maxKept = 16;
const kept = new Map<string, EngineTokenizer>();

/** The tokenizer with these special tokens; the same object for the same ones. */
export function tokenizerWith(specials: SpecialTexts): EngineTokenizer {
  const key = JSON.stringify([specials.controls, specials.markers, specials.end]);
  const tokenizer = kept.get(key) ?? fileTokenizer(vocabularyWith(specials).metadata);
  kept.delete(key);
  kept.set(key, tokenizer);
  const [oldest] = kept.keys();
  if (kept.size > maxKept && oldest !== undefined) kept.delete(oldest);
  return tokenizer;
}
