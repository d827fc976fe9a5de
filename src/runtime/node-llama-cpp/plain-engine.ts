/** The plain engine: node-llama-cpp without any grammar, on the same file, with the same prompt. */
import type { Llama, LlamaContextSequence, LlamaModel, Token } from 'node-llama-cpp';
import { withoutUndefined } from '../../format/option-rules.ts';
import type { GpuBackend } from './load-model-options.ts';
import { sharedLlama } from './shared-llama.ts';

/** A text that was written without a grammar. */
export interface FreeText {
  readonly text: string;
  readonly tokens: number;
  /** Ended by the limit of tokens. */
  readonly cut: boolean;
}

/** How it is sampled. */
export interface PlainSampling {
  readonly temperature: number;
  readonly topK: number;
  readonly topP: number;
  readonly seed: number;
  readonly maxTokens: number;
}

/** Options of node-llama-cpp for the model and its context. */
interface PlainEngineOptions {
  readonly contextSize: number;
  readonly threads?: number;
  readonly gpuLayers?: number;
}

/** Opens a file with the engine that `loadModel` uses, too. */
export async function openPlainEngine(
  file: string,
  { gpu, ...options }: PlainEngineOptions & { readonly gpu: GpuBackend },
): Promise<PlainEngine> {
  return PlainEngine.open(await sharedLlama(gpu), file, options);
}

/** One sequence of a model. */
export class PlainEngine {
  readonly model: LlamaModel;
  readonly #sequence: LlamaContextSequence;

  private constructor(model: LlamaModel, sequence: LlamaContextSequence) {
    this.model = model;
    this.#sequence = sequence;
  }

  /** Opens the file. */
  static async open(llama: Llama, file: string, options: PlainEngineOptions): Promise<PlainEngine> {
    const { gpuLayers, ...given } = options;
    const model = await llama.loadModel({ modelPath: file, ...withoutUndefined({ gpuLayers }) });
    const contextSize = Math.min(given.contextSize, model.trainContextSize);
    const context = await model.createContext({ ...given, contextSize });
    return new PlainEngine(model, context.getSequence());
  }

  /** Evaluates a prompt, so that `write` has only its last token left to evaluate. */
  async prepare(prompt: string): Promise<number> {
    const tokens = this.model.tokenize(prompt, true);
    const known = await this.#keep(tokens.slice(0, -1));
    if (known < tokens.length - 1)
      await this.#sequence.evaluateWithoutGeneratingNewTokens(tokens.slice(known, -1));
    return tokens.length;
  }

  /** Continues a prompt until the model ends its turn. */
  async write(prompt: string, { maxTokens, ...sampling }: PlainSampling): Promise<FreeText> {
    const tokens = this.model.tokenize(prompt, true);
    const known = await this.#keep(tokens.slice(0, -1));
    const written: Token[] = [];
    for await (const token of this.#sequence.evaluate(tokens.slice(known), sampling)) {
      written.push(token);
      if (written.length >= maxTokens) break;
    }
    return this.#text(written, written.length >= maxTokens);
  }

  dispose(): Promise<void> {
    return this.model.dispose();
  }

  /** Drops what is evaluated and differs; returns how many of the tokens are. */
  async #keep(tokens: readonly Token[]): Promise<number> {
    await this.#sequence.adaptStateToTokens([...tokens], false);
    return this.#sequence.nextTokenIndex;
  }

  #text(tokens: Token[], cut: boolean): FreeText {
    return { text: this.model.detokenize(tokens, true), tokens: tokens.length, cut };
  }
}
