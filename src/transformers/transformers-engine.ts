/** transformers.js as an engine. */
import { DecodingError } from '../format/errors.ts';
import type {
  DrawnToken,
  Engine,
  EnginePrompt,
  EngineSampling,
  EngineSequence,
  EngineTokenizer,
  Mask,
} from '../runtime/engine/engine.ts';
import { Sampler } from '../runtime/engine/sampling/sampler.ts';
import { EvaluatedText, type Evaluation, tokensPerPass } from './evaluated-text.ts';
import type { CausalModel, TensorsByName, Transformers } from './package.ts';

/** Texts that are kept after their end: the next prompt of a conversation begins like its last. */
const maxKept = 2;

/** A model of transformers.js, and what was read of its files. */
export interface TransformersFacts {
  readonly transformers: Transformers;
  readonly causal: CausalModel;
  readonly model: string;
  readonly tokenizer: EngineTokenizer;
  readonly chatTemplate: string;
  readonly toolUseTemplate: string;
  readonly contextSize: number;
}

/** Evaluates a model of transformers.js, in one pass after the other. */
export class TransformersEngine implements Engine {
  readonly name = 'transformers.js';
  readonly model: string;
  readonly contextSize: number;
  readonly chatTemplate: string;
  readonly toolUseTemplate: string;
  readonly tokenizer: EngineTokenizer;
  readonly #causal: CausalModel;
  readonly #evaluation: Evaluation;
  #kept: readonly EvaluatedText[] = [];
  /** The pass that is running. */
  #running: Promise<unknown> = Promise.resolve();
  #disposed = false;

  constructor({ transformers, causal, ...facts }: TransformersFacts) {
    this.model = facts.model;
    this.contextSize = facts.contextSize;
    this.chatTemplate = facts.chatTemplate;
    this.toolUseTemplate = facts.toolUseTemplate;
    this.tokenizer = facts.tokenizer;
    this.#causal = causal;
    const size = facts.tokenizer.texts.length;
    this.#evaluation = { transformers, size, forward: (inputs) => this.#forward(inputs) };
  }

  get disposed(): boolean {
    return this.#disposed;
  }

  async open(prompt: EnginePrompt, sampling: EngineSampling, signal?: AbortSignal): Promise<EngineSequence> {
    const { tokens, onProgress } = prompt;
    const most = tokens.length - 1;
    const text = this.#take(tokens);
    const cachedTokens = Math.min(text.reusable(tokens), most);
    const sequence = new TransformersSequence(text, {
      cachedTokens,
      tokens: tokens.slice(0, -1),
      sampler: new Sampler(sampling, (token) => this.tokenizer.texts[token] ?? ''),
      signal,
      closed: () => this.#keep(text),
    });
    // What does not fill a pass is evaluated with the last token.
    const ready = most - ((most - cachedTokens) % tokensPerPass);
    try {
      if (ready > cachedTokens)
        await text.read(tokens.slice(0, ready), (evaluated) => {
          onProgress?.(evaluated);
          signal?.throwIfAborted();
        });
    } catch (error) {
      await sequence.close();
      throw error;
    }
    return sequence;
  }

  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    await this.#running.catch(() => undefined);
    for (const text of this.#kept) text.dispose();
    this.#kept = [];
    await this.#causal.dispose();
  }

  #forward(inputs: object): Promise<TensorsByName> {
    const pass = this.#running
      .catch(() => undefined)
      .then(() => {
        if (this.#disposed) throw new Error('the model is disposed of');
        return this.#causal.forward(inputs);
      });
    this.#running = pass;
    return pass;
  }

  /** The kept text that begins most like `tokens`, or a new one. */
  #take(tokens: readonly number[]): EvaluatedText {
    const shared = this.#kept.map((text) => text.reusable(tokens));
    const most = Math.max(0, ...shared);
    const text = most === 0 ? undefined : this.#kept[shared.indexOf(most)];
    if (text === undefined) return new EvaluatedText(this.#evaluation);
    this.#kept = this.#kept.filter((each) => each !== text);
    return text;
  }

  #keep(text: EvaluatedText): void {
    const texts = this.#disposed ? [] : [text, ...this.#kept];
    for (const each of this.#disposed ? [text] : texts.slice(maxKept)) each.dispose();
    this.#kept = texts.slice(0, maxKept);
  }
}

interface SequenceOptions {
  readonly tokens: readonly number[];
  readonly cachedTokens: number;
  readonly sampler: Sampler;
  readonly signal: AbortSignal | undefined;
  /** Called once, when the sequence is closed. */
  readonly closed: () => void;
}

class TransformersSequence implements EngineSequence {
  readonly cachedTokens: number;
  readonly #text: EvaluatedText;
  readonly #options: SequenceOptions;
  readonly #tokens: number[];
  #open = true;

  constructor(text: EvaluatedText, options: SequenceOptions) {
    this.#text = text;
    this.#options = options;
    this.cachedTokens = options.cachedTokens;
    this.#tokens = [...options.tokens];
  }

  async next(tokens: readonly number[], mask: Mask | null): Promise<DrawnToken> {
    const { signal, sampler } = this.#options;
    this.#tokens.push(...tokens);
    const logits = await this.#text.logitsAfter(this.#tokens, () => signal?.throwIfAborted());
    const drawn = sampler.draw(logits, mask, this.#tokens);
    if (drawn === undefined) throw new DecodingError({ reason: 'no token is allowed here', text: '' });
    return drawn;
  }

  /** Nothing is evaluated or forgotten before it is known what comes in its place. */
  async back(length: number): Promise<void> {
    this.#tokens.length = length;
  }

  async close(): Promise<void> {
    if (this.#open) this.#options.closed();
    this.#open = false;
  }
}
