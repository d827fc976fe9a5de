/** The vocabulary of a model that node-llama-cpp has loaded. */
import type { LlamaModel } from 'node-llama-cpp';
import { type Vocabulary, vocabularyOf } from '../../src/runtime/engine/tokens/vocabulary.ts';
import { llamaTokenizer } from '../../src/runtime/node-llama-cpp/tokenizer.ts';

export type { Vocabulary };

/** Throws `ModelFileError` if the file has none. */
export function readVocabulary(model: LlamaModel, file: string): Vocabulary {
  return vocabularyOf(llamaTokenizer(model, file));
}
