/** A sequence of an engine, with the tokens that it holds and those that come next. */
import type {
  BiasedPart,
  DrawnToken,
  Engine,
  EnginePrompt,
  EngineSampling,
  EngineSequence,
  Mask,
} from '../engine.ts';
import { engineFailure } from '../engine-failure.ts';

/** What an engine's errors are reported with. */
interface WrittenText {
  readonly text: string;
}

/** Keeps the engine's sequence in step with what is written. Errors of the engine become a `DecodingError`. */
export class OpenSequence {
  readonly #engine: Engine;
  readonly #sequence: EngineSequence;
  readonly #run: WrittenText;
  readonly #signal: AbortSignal | undefined;
  /** Prompt and response; the engine holds all but the last ones. */
  readonly #tokens: number[];
  #held: number;

  private constructor(
    engine: Engine,
    sequence: EngineSequence,
    tokens: readonly number[],
    run: WrittenText,
    signal: AbortSignal | undefined,
  ) {
    this.#engine = engine;
    this.#sequence = sequence;
    this.#tokens = [...tokens];
    this.#held = tokens.length - 1;
    this.#run = run;
    this.#signal = signal;
  }

  /** Opens a sequence for `prompt`. */
  static async open(
    engine: Engine,
    prompt: EnginePrompt,
    { signal, ...sampling }: EngineSampling & { readonly signal?: AbortSignal | undefined },
    run: WrittenText,
  ): Promise<OpenSequence> {
    const open = (): Promise<EngineSequence> => engine.open(prompt, sampling, signal);
    const sequence = await fromEngine(engine, open, run, signal);
    return new OpenSequence(engine, sequence, prompt.tokens, run, signal);
  }

  get cachedTokens(): number {
    return this.#sequence.cachedTokens;
  }

  /** Tokens available to prompt and response together. */
  get contextSize(): number {
    return this.#engine.contextSize;
  }

  /** Prompt and response. */
  get tokens(): readonly number[] {
    return this.#tokens;
  }

  /** Those that are to be evaluated before the next draw. */
  get pending(): readonly number[] {
    return this.#tokens.slice(this.#held);
  }

  /** Whether it can draw after each of several parts. */
  get batches(): boolean {
    return this.#sequence.drawAfterEach !== undefined;
  }

  /** Adds tokens to the response. */
  write(tokens: readonly number[]): void {
    this.#tokens.push(...tokens);
  }

  /** Draws the next token. */
  async next(mask: Mask | null): Promise<DrawnToken> {
    const drawn = await this.#await(() => this.#sequence.next(this.pending, mask));
    this.#held = this.#tokens.length;
    return drawn;
  }

  /** Draws after each of `parts`, of which the first holds the pending tokens. The parts are not written yet. */
  async drawAfterEach(parts: readonly BiasedPart[]): Promise<readonly number[]> {
    const drawn = await this.#await(async () => this.#sequence.drawAfterEach?.(parts) ?? []);
    this.#held += parts.reduce((length, { tokens }) => length + tokens.length, 0);
    return drawn;
  }

  /** Keeps the first `length` tokens, of which the last is evaluated again. */
  async back(length: number): Promise<void> {
    this.#tokens.length = length;
    await this.hold(length - 1);
  }

  /** Replaces all tokens; what they share with the present ones is kept. */
  async replace(tokens: readonly number[]): Promise<void> {
    const differs = this.#tokens.findIndex((token, index) => token !== tokens[index]);
    const shared = differs < 0 ? this.#tokens.length : differs;
    this.#tokens.length = shared;
    for (const token of tokens.slice(shared)) this.#tokens.push(token);
    await this.hold(Math.min(shared, this.#held, tokens.length - 1));
  }

  /** Has the engine hold only the first `length` tokens. */
  async hold(length: number): Promise<void> {
    this.#held = length;
    await this.#await(() => this.#sequence.back(length));
  }

  /** The response is over. */
  async close(): Promise<void> {
    await fromEngine(this.#engine, () => this.#sequence.close(), this.#run, this.#signal);
  }

  async #await<Value>(work: () => Promise<Value>): Promise<Value> {
    const value = await fromEngine(this.#engine, work, this.#run, this.#signal);
    this.#signal?.throwIfAborted();
    return value;
  }
}

async function fromEngine<Value>(
  { name }: Engine,
  work: () => Promise<Value>,
  run: WrittenText,
  signal: AbortSignal | undefined,
): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    signal?.throwIfAborted();
    throw engineFailure(name, cause, run.text);
  }
}
