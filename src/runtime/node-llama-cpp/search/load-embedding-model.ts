/** Opens a model that is made for search: it embeds texts or ranks documents, and does not chat. */
import path from 'node:path';
import { UnsupportedOptionError } from '../../../format/errors.ts';
import type { Embeddings, Ranking, TextOptions } from '../../chat/search-answers.ts';
import { checkLoadOptions } from '../check-options.ts';
import type { LoadModelOptions } from '../load-model-options.ts';
import { openModelFile } from '../open-model-file.ts';
import { TextVectors, textLength } from './text-vectors.ts';

/** Options of `loadEmbeddingModel`, as for `loadModel`. `contextSize`: tokens of a text; by default at most 2,048. */
export type EmbeddingModelOptions = Pick<
  LoadModelOptions,
  | 'contextSize'
  | 'threads'
  | 'gpu'
  | 'gpuLayers'
  | 'useMmap'
  | 'useMlock'
  | 'onLoadProgress'
  | 'signal'
  | 'llama'
>;

/** A model for search. */
export interface EmbeddingModel {
  /** The base name of its file. */
  readonly name: string;
  /** Tokens of a text, including those that the model puts around it. */
  readonly contextSize: number;
  readonly trainedContextSize: number;
  /** Vectors of texts. Throws `ContextOverflowError` for a text that is too long, and the signal's reason. */
  embed(texts: readonly string[], options?: TextOptions): Promise<Embeddings>;
  /** How well documents answer a query. Absent if the model is not made for it. Throws the same. */
  readonly rank?: (query: string, documents: readonly string[], options?: TextOptions) => Promise<Ranking>;
  /** Frees it. */
  dispose(): Promise<void>;
}

/** Loads the GGUF file at this path or `file:` address. Throws the errors of `loadModel`, but those of templates. */
export async function loadEmbeddingModel(
  location: string | URL,
  given: EmbeddingModelOptions = {},
): Promise<EmbeddingModel> {
  const options = checkLoadOptions(given);
  const { file, llamaModel, threads } = await openModelFile(location, options);
  const { trainContextSize } = llamaModel;
  const { contextSize = textLength(llamaModel) } = options;
  if (contextSize > trainContextSize) {
    await llamaModel.dispose();
    const reason = `the model was trained on ${trainContextSize} tokens, and cannot use ${contextSize}`;
    throw new UnsupportedOptionError({ option: 'contextSize', reason });
  }
  const texts = new TextVectors(llamaModel, threads, contextSize);
  return {
    name: path.basename(file),
    contextSize,
    trainedContextSize: trainContextSize,
    embed: (asked, own) => texts.embed(asked, own),
    ...(texts.ranks ? { rank: (query, documents, own) => texts.rank(query, documents, own) } : {}),
    dispose: () => llamaModel.dispose(),
  };
}
