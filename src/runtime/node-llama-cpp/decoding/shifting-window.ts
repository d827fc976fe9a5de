/** Shifts a conversation that outgrows the context while its response is generated. */
import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import { evaluateTokens, fromEngine } from './evaluate.ts';
import type { ResponseRun } from './response-run.ts';

/** A prompt, and where its last turn begins. */
export interface DecodedPrompt {
  readonly tokens: readonly Token[];
  /** Tokens before the assistant's turn, with which the next prompt will begin, too. */
  readonly turnStart: number;
  /** Messages dropped from the conversation. Default: 0. */
  readonly dropped?: number;
  /** Makes room when the response fills the context. Default: the response ends there. */
  readonly shorten?: Shorten | null;
}

/**
 * The prompt with fewer messages, so that `wanted` tokens can follow, and how many were dropped; `null` if it cannot
 * be shortened.
 */
export type Shorten = (wanted: number) => { readonly prompt: DecodedPrompt; readonly dropped: number } | null;

/** The prompt of a sequence, replaced by a shorter one when the response fills the context. */
export class ShiftingWindow {
  readonly #sequence: LlamaContextSequence;
  readonly #shorten: Shorten | null;
  #promptLength: number;

  constructor(sequence: LlamaContextSequence, { tokens, shorten = null }: DecodedPrompt) {
    this.#sequence = sequence;
    this.#shorten = shorten;
    this.#promptLength = tokens.length;
  }

  /** Number of tokens of the prompt. */
  get promptLength(): number {
    return this.#promptLength;
  }

  /** Whether `tokens` and the token sampled after them do not fit; the engine keeps one place free. */
  mustShift(tokens: number): boolean {
    return this.#shorten !== null && this.#sequence.nextTokenIndex + tokens + 1 >= this.#sequence.contextSize;
  }

  /**
   * Moves the response, whose last tokens `next` are not evaluated yet, after a shorter prompt. Returns the tokens to
   * continue with; `null` if no prompt is short enough, and the response is cut off.
   */
  async shift(
    next: readonly Token[],
    run: ResponseRun,
    signal: AbortSignal | undefined,
  ): Promise<Token[] | null> {
    const sequence = this.#sequence;
    const written = [...sequence.contextTokens.slice(this.#promptLength), ...next];
    const shorter = this.#shorten?.(written.length + 2) ?? null;
    const all = [...(shorter?.prompt.tokens ?? []), ...written];
    if (shorter === null || all.length + 2 >= sequence.contextSize) {
      run.cutOff();
      return null;
    }
    this.#promptLength = shorter.prompt.tokens.length;
    run.drop(shorter.dropped);
    const last = all.slice(0, -1);
    await fromEngine(sequence.adaptStateToTokens(last, false), run.text);
    await evaluateTokens(sequence, last, signal);
    return all.slice(-1);
  }
}
