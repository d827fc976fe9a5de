/** node-llama-cpp as an engine: a model file, a context, and its sequences. */
import type { LlamaContext, LlamaModel } from 'node-llama-cpp';
import { ModelDisposedError } from '../../format/errors.ts';
import type {
  Engine,
  EnginePrompt,
  EngineSampling,
  EngineSequence,
  EngineTokenizer,
  GrammarAt,
} from '../engine/engine.ts';
import { BatchCosts } from './batch-costs.ts';
import { requireBuildable } from './engine-states.ts';
import { LlamaSequence } from './llama-sequence.ts';
import { SamplerMemory } from './sampler-memory.ts';
import { type PoolMemory, SequencePool } from './sequences/sequence-pool.ts';

/** What is read from a model file. */
export interface LlamaFile extends Pick<Engine, 'model' | 'chatTemplate'> {
  readonly toolUseTemplate: string;
  readonly tokenizer: EngineTokenizer;
  readonly llamaModel: LlamaModel;
  /** A hash that identifies the model's files and adapters. */
  readonly identity: () => Promise<string>;
}

/** A model in node-llama-cpp, with the sequences of one context. */
export class LlamaEngine implements Engine {
  readonly name = 'node-llama-cpp';
  readonly model: string;
  readonly chatTemplate: string;
  readonly toolUseTemplate: string;
  readonly tokenizer: EngineTokenizer;
  readonly file: LlamaFile;
  readonly context: LlamaContext;
  readonly pool: SequencePool;
  readonly #costs = new BatchCosts();
  readonly #samplers: SamplerMemory;

  constructor(file: LlamaFile, context: LlamaContext, memory: PoolMemory = {}) {
    this.file = file;
    this.model = file.model;
    this.chatTemplate = file.chatTemplate;
    this.toolUseTemplate = file.toolUseTemplate;
    this.tokenizer = file.tokenizer;
    this.context = context;
    this.#samplers = new SamplerMemory(file.tokenizer.texts.length);
    this.pool = new SequencePool(context, memory);
    context.onDispose.createListener(() => this.pool.close(new ModelDisposedError({ model: file.model })));
  }

  get contextSize(): number {
    return this.context.contextSize;
  }

  /** The context is disposed of first. */
  get disposed(): boolean {
    return this.context.disposed || this.file.llamaModel.disposed;
  }

  async open(prompt: EnginePrompt, sampling: EngineSampling, signal?: AbortSignal): Promise<EngineSequence> {
    const lease = await this.pool.lease(prompt.tokens, signal, prompt.turnStart);
    try {
      const model = { model: this.file.llamaModel, costs: this.#costs, samplers: this.#samplers };
      const sequence = new LlamaSequence(lease, model, prompt, sampling, signal);
      await sequence.evaluatePrompt(prompt);
      return sequence;
    } catch (error) {
      lease.release();
      throw error;
    }
  }

  build(grammar: GrammarAt): void {
    requireBuildable(grammar, this.file.llamaModel);
  }

  async dispose(): Promise<void> {
    await this.context.dispose();
    await this.file.llamaModel.dispose();
  }
}
