/** An engine in plain JavaScript for small model files: no addon, no file, in Node and in a page. */
import type {
  Engine,
  EnginePrompt,
  EngineSampling,
  EngineSequence,
  EngineTokenizer,
} from '../../runtime/engine/engine.ts';
import { type GgufFile, readGguf } from '../gguf-reader.ts';
import { EvaluatedPrompts } from './evaluated-prompts.ts';
import { fileTokenizer } from './file-tokenizer.ts';
import { readWeights } from './model-weights.ts';
import { SampledSequence } from './sampled-sequence.ts';
import { Sampler } from './sampler.ts';
import { Transformer } from './transformer.ts';

/** Options of engines in JavaScript. */
export interface JavaScriptEngineOptions {
  /** Tokens available to prompt and response together. Default: as many as the model was made for. */
  readonly contextSize?: number;
}

/**
 * An engine for the GGUF file in `bytes`: of the architectures `llama` and `qwen3`, in 16 or 32-bit floats, with the
 * tokenizer of the toy. Throws `ModelFileError` for any other.
 */
export function fileEngine(bytes: Uint8Array, options: JavaScriptEngineOptions = {}): Engine {
  return new FileEngine(readGguf(bytes), options);
}

class FileEngine implements Engine {
  readonly name = 'JavaScript';
  readonly model: string;
  readonly contextSize: number;
  readonly chatTemplate: string;
  readonly toolUseTemplate?: string;
  readonly tokenizer: EngineTokenizer;
  readonly #transformer: Transformer;
  readonly #prompts: EvaluatedPrompts;
  #disposed = false;

  constructor(file: GgufFile, { contextSize }: JavaScriptEngineOptions) {
    const text = (key: string): string | undefined => {
      const value = file.metadata.get(key)?.value;
      return typeof value === 'string' ? value : undefined;
    };
    this.#transformer = new Transformer(readWeights(file));
    this.#prompts = new EvaluatedPrompts(this.#transformer);
    this.model = text('general.name') ?? 'a model';
    this.contextSize = contextSize ?? this.#transformer.weights.shape.contextLength;
    this.tokenizer = fileTokenizer(file.metadata);
    this.chatTemplate = text('tokenizer.chat_template') ?? '';
    const toolUse = text('tokenizer.chat_template.tool_use');
    if (toolUse !== undefined) this.toolUseTemplate = toolUse;
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
