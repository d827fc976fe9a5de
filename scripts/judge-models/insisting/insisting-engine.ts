/**
 * An engine that insists on tokens, whatever it was asked: after each token of a response it wants the next one of its
 * script, also where a grammar refused the one before.
 */
import type {
  Engine,
  EnginePrompt,
  EngineSampling,
  EngineSequence,
  EngineTokenizer,
} from '../../../src/runtime/engine/engine.ts';
import { type EvaluatedText, SampledSequence } from '../../../src/testing/evaluator/sampled-sequence.ts';
import { Sampler } from '../../../src/testing/evaluator/sampler.ts';
import { tokenizerWith } from '../../../src/testing/toy/tokenizer.ts';
import type { NamedTemplate } from './chat-templates.ts';

const [begin, end] = ['<s>', '</s>'];

/** The engine of one template; the format's markers and ends are single tokens. */
export class InsistingEngine implements Engine {
  readonly name = 'JavaScript';
  readonly model: string;
  readonly contextSize = 8192;
  readonly chatTemplate: string;
  readonly tokenizer: EngineTokenizer;
  /** What the next response is to be. */
  script: readonly number[] = [];
  readonly #otherwise: Float32Array;
  #disposed = false;

  constructor({ name, source, format }: NamedTemplate) {
    this.model = name;
    this.chatTemplate = source;
    const controls = [...new Set([begin, end, ...format.stops])];
    const markers = format.preservedTokens.filter((text) => !controls.includes(text));
    this.tokenizer = tokenizerWith({ controls, markers, end });
    this.#otherwise = Float32Array.from(this.tokenizer.texts, closingLogit);
  }

  get disposed(): boolean {
    return this.#disposed;
  }

  async open(prompt: EnginePrompt, sampling: EngineSampling, signal?: AbortSignal): Promise<EngineSequence> {
    const { texts } = this.tokenizer;
    const text = new InsistedText(prompt.tokens.length, this.script, this.#otherwise);
    const sequence = new SampledSequence(text, {
      sampler: new Sampler(sampling, (token) => texts[token] ?? ''),
      cachedTokens: 0,
      contextSize: this.contextSize,
      isDisposed: () => this.#disposed,
      signal,
      closed: () => undefined,
    });
    await sequence.evaluate(prompt.tokens.slice(0, -1));
    return sequence;
  }

  async dispose(): Promise<void> {
    this.#disposed = true;
  }
}

/** The prompt and one response. */
class InsistedText implements EvaluatedText {
  readonly #promptLength: number;
  readonly #script: readonly number[];
  readonly #otherwise: Float32Array;
  #tokens: number[] = [];

  constructor(promptLength: number, script: readonly number[], otherwise: Float32Array) {
    this.#promptLength = promptLength;
    this.#script = script;
    this.#otherwise = otherwise;
  }

  get tokens(): readonly number[] {
    return this.#tokens;
  }

  *extend(tokens: readonly number[]): Generator<unknown> {
    // A prompt may have more tokens than a function takes arguments.
    this.#tokens = this.#tokens.concat(tokens);
    yield tokens.length;
  }

  cut(length: number): void {
    this.#tokens.length = length;
  }

  logits(): Float32Array {
    const logits = this.#otherwise.slice();
    const wanted = this.#script[this.#tokens.length - this.#promptLength];
    if (wanted !== undefined) logits[wanted] = 100;
    return logits;
  }
}

/** Where the script says nothing, or nothing that is allowed: the end comes first, then what closes something. */
function closingLogit(text: string): number {
  if (text === end) return 2;
  return /^(?:["}\]]|<\/?)/.test(text) ? 1 : 0;
}
