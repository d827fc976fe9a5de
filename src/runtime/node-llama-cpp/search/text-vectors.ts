/** Texts as vectors, and documents by how well they answer a query. */

import type { LlamaEmbeddingContext, LlamaModel, LlamaRankingContext, Token } from 'node-llama-cpp';
import { ContextOverflowError, UnsupportedOptionError } from '../../../format/errors.ts';
import { memoize, once } from '../../../format/memoize.ts';
import {
  abortSignal,
  type OptionRules,
  readOptions,
  requireOption,
  string,
  stringArray,
} from '../../../format/option-rules.ts';
import { finishInTurns } from '../../../language/expression/steps.ts';
import type { Embeddings, Ranking, TextOptions } from '../../chat/search-answers.ts';
import { laterFromEngine } from '../../engine/engine-failure.ts';
import { encodeWindows, type PieceTokenizer } from '../../engine/tokens/long-runs.ts';

/** As errors name it. */
const engine = 'node-llama-cpp';

const rules: OptionRules<TextOptions> = { signal: abortSignal };

/** Tokens of a text, unless the caller wants more: memory grows with their square. */
const usualLength = 2048;

/** How long texts may be by default. */
export function textLength({ trainContextSize }: LlamaModel): number {
  return Math.min(trainContextSize, usualLength);
}

/** Contexts of a model for this, opened when they are first used. */
export class TextVectors {
  readonly #model: LlamaModel;
  readonly #contextSize: number;
  readonly #embedding: () => Promise<LlamaEmbeddingContext>;
  readonly #ranking: () => Promise<LlamaRankingContext>;

  constructor(model: LlamaModel, threads: number, contextSize = textLength(model)) {
    this.#model = model;
    this.#contextSize = contextSize;
    // A model that looks at all of a text at once needs all of it in one batch, or ends the process.
    const options = { contextSize, batchSize: contextSize, threads };
    this.#embedding = once(() => model.createEmbeddingContext(options));
    this.#ranking = once(() => model.createRankingContext(options));
  }

  /** Whether it ranks: few models are trained for that. */
  get ranks(): boolean {
    return this.#model.fileInsights.supportsRanking;
  }

  /** Throws `ContextOverflowError`, and the signal's reason. */
  async embed(texts: readonly string[], given: TextOptions = {}): Promise<Embeddings> {
    requireOption('texts', texts, stringArray);
    const { signal } = readOptions(given, rules);
    return laterFromEngine(engine, () => this.#embed(texts, signal), signal);
  }

  async #embed(texts: readonly string[], signal: AbortSignal | undefined): Promise<Embeddings> {
    const context = await this.#embedding();
    const inputs = await this.#tokenize(texts, 'whole', signal);
    const tokens = inputs.map((input) => this.#requireFits(context.calculateInputLength([...input])));
    const vectors: (readonly number[])[] = [];
    for (const input of inputs) {
      signal?.throwIfAborted();
      const { vector } = await context.getEmbeddingFor(input);
      if (vector.length === 0) throw nothingToRead();
      vectors.push(ofLengthOne(vector));
    }
    return { vectors, tokens: sum(tokens) };
  }

  /** Throws `UnsupportedOptionError` if the model does not rank, `ContextOverflowError`, and the signal's reason. */
  async rank(query: string, documents: readonly string[], given: TextOptions = {}): Promise<Ranking> {
    requireOption('query', query, string);
    requireOption('documents', documents, stringArray);
    const { signal } = readOptions(given, rules);
    if (!this.ranks) {
      const reason = 'this model is not made to rank documents; load one that is, such as bge-reranker';
      throw new UnsupportedOptionError({ option: 'query', reason });
    }
    return laterFromEngine(engine, () => this.#rank(query, documents, signal), signal);
  }

  async #rank(
    query: string,
    documents: readonly string[],
    signal: AbortSignal | undefined,
  ): Promise<Ranking> {
    const context = await this.#ranking();
    const [asked = [], ...inputs] = await this.#tokenize([query, ...documents], 'part', signal);
    const tokens = inputs.map((input) => this.#requireFits(context.calculateInputLength(asked, input) + 1));
    const scores: number[] = [];
    for (const input of inputs) {
      signal?.throwIfAborted();
      scores.push(await context.rank(asked, input));
    }
    return { scores, tokens: sum(tokens) - tokens.length };
  }

  async #tokenize(
    texts: readonly string[],
    place: 'whole' | 'part',
    signal: AbortSignal | undefined,
  ): Promise<readonly Token[][]> {
    const lists: Token[][] = [];
    for (const text of texts)
      lists.push(await textTokens(this.#model, text, this.#contextSize, place, signal));
    return lists;
  }

  #requireFits(needed: number): number {
    if (needed < this.#contextSize) return needed;
    throw new ContextOverflowError({ needed, available: this.#contextSize });
  }
}

function nothingToRead(): UnsupportedOptionError {
  return new UnsupportedOptionError({ option: 'texts', reason: 'an empty text has no vector' });
}

function ofLengthOne(vector: readonly number[]): readonly number[] {
  const length = Math.hypot(...vector);
  return length === 0 ? vector : vector.map((value) => value / length);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** `whole`: as in a prompt. `part`: without the space that some tokenizers put before a text. */
type TextPlace = 'whole' | 'part';

/**
 * The tokens of a text, in steps. Throws `ContextOverflowError` for a text that has more than `available` whatever they
 * are, and the signal's reason.
 */
async function textTokens(
  model: LlamaModel,
  text: string,
  available: number,
  place: TextPlace,
  signal: AbortSignal | undefined,
): Promise<Token[]> {
  const needed = Math.ceil(text.length / tokenLength(model));
  if (needed >= available) throw new ContextOverflowError({ needed, available });
  const tokens = await finishInTurns(encodeWindows(text, tokenizerOf(model, place)), signal);
  return [...tokens] as Token[];
}

function tokenizerOf(model: LlamaModel, place: TextPlace): PieceTokenizer {
  return {
    encode: (piece, begins) =>
      model.tokenize(piece, false, begins && place === 'whole' ? undefined : 'trimLeadingSpace'),
    widthOf: (token) => new TextEncoder().encode(model.detokenize([token as Token])).length,
    splits: model.fileInfo.metadata.tokenizer?.ggml?.model === 'gpt2',
  };
}

/** That of the longest token in the model's own spelling, in which no character is shorter than in a text. */
const tokenLength = memoize(({ fileInfo }: LlamaModel): number => {
  const texts = fileInfo.metadata.tokenizer?.ggml?.tokens ?? [];
  return texts.reduce((longest, text) => Math.max(longest, text.length), 1);
});
