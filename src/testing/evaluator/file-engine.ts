/** An engine in plain JavaScript for small model files: no addon, no file, in Node and in a page. */
import type {
  Engine,
  EnginePrompt,
  EngineSampling,
  EngineSequence,
  EngineTokenizer,
} from '../../runtime/engine/engine.ts';
import { Sampler } from '../../runtime/engine/sampling/sampler.ts';
import { readGguf } from '../gguf-reader.ts';
import { EvaluatedPrompts } from './evaluated-prompts.ts';
import { fileTokenizer } from './file-tokenizer.ts';
import { type ModelWeights, readWeights } from './model-weights.ts';
import { SampledSequence } from './sampled-sequence.ts';
import { Transformer } from './transformer.ts';

/** Options of engines in JavaScript. */
export interface JavaScriptEngineOptions {
  /** Tokens available to prompt and response together. Default: as many as the model was made for. */
  readonly contextSize?: number;
}

/** A model file, read: what its engines share. */
export interface LoadedFile {
  readonly model: string;
  readonly weights: ModelWeights;
  readonly tokenizer: EngineTokenizer;
  readonly chatTemplate: string;
  readonly toolUseTemplate?: string;
}

/**
 * Reads the GGUF file in `bytes`: of the architectures `llama` and `qwen3`, in 16 or 32-bit floats, with the tokenizer
 * of the toy. Throws `ModelFileError` for any other.
 */
export function loadFile(bytes: Uint8Array): LoadedFile {
  const file = readGguf(bytes);
  const text = (key: string): string | undefined => {
    const value = file.metadata.get(key)?.value;
    return typeof value === 'string' ? value : undefined;
  };
  const toolUseTemplate = text('tokenizer.chat_template.tool_use');
  return {
    model: text('general.name') ?? 'a model',
    weights: readWeights(file),
    tokenizer: fileTokenizer(file.metadata),
    chatTemplate: text('tokenizer.chat_template') ?? '',
    ...(toolUseTemplate === undefined ? {} : { toolUseTemplate }),
  };
}

/** Evaluates such a file. */
export class FileEngine implements Engine {
  readonly name = 'JavaScript';
  readonly model: string;
  readonly contextSize: number;
  readonly chatTemplate: string;
  readonly toolUseTemplate?: string;
  readonly tokenizer: EngineTokenizer;
  readonly #prompts: EvaluatedPrompts;
  #disposed = false;

  constructor(file: LoadedFile, { contextSize }: JavaScriptEngineOptions = {}) {
    this.model = file.model;
    this.chatTemplate = file.chatTemplate;
    if (file.toolUseTemplate !== undefined) this.toolUseTemplate = file.toolUseTemplate;
    this.tokenizer = file.tokenizer;
    this.contextSize = contextSize ?? file.weights.shape.contextLength;
    this.#prompts = new EvaluatedPrompts(new Transformer(file.weights));
  }

  get disposed(): boolean {
    return this.#disposed;
  }

  async open(prompt: EnginePrompt, sampling: EngineSampling, signal?: AbortSignal): Promise<EngineSequence> {
    const text = this.#prompts.open(prompt.tokens);
    const sequence = new SampledSequence(text, {
      sampler: new Sampler(sampling, (token) => this.tokenizer.texts[token] ?? ''),
      cachedTokens: text.tokens.length,
      contextSize: this.contextSize,
      isDisposed: () => this.#disposed,
      signal,
      closed: () => this.#prompts.keep(text),
    });
    await sequence.evaluate(prompt.tokens.slice(text.tokens.length, -1));
    return sequence;
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
    this.#prompts.clear();
  }
}
