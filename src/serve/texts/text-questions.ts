/** All questions about texts. */
import { embeddings, ollamaEmbed, ollamaEmbeddings } from './embeddings.ts';
import { rerank, reranking } from './rerank.ts';
import type { TextQuestion } from './text-question.ts';
import { detokenizeText, tokenizeText } from './tokens.ts';

/** See the top of this file. */
export const textQuestions: readonly TextQuestion[] = [
  tokenizeText,
  detokenizeText,
  embeddings,
  ollamaEmbed,
  ollamaEmbeddings,
  rerank,
  reranking,
];
