/** What models for search answer. */

/** Options of a question. */
export interface TextOptions {
  /** Ends it before the next text. */
  readonly signal?: AbortSignal | undefined;
}

/** What texts mean to a model. */
export interface Embeddings {
  /** A vector of length 1 for each text. */
  readonly vectors: readonly (readonly number[])[];
  /** Tokens of all texts together. */
  readonly tokens: number;
}

/** How well documents answer a query. */
export interface Ranking {
  /** For each document, from 0 to 1. */
  readonly scores: readonly number[];
  /** Tokens of all inputs together. */
  readonly tokens: number;
}
