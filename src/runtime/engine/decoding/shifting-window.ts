/** Shifts a conversation that outgrows the context while its response is generated. */
import { finishInTurns, type Steps } from '../../../language/expression/steps.ts';
import type { Engine, EnginePrompt } from '../engine.ts';
import type { OpenSequence } from './open-sequence.ts';
import type { ResponseRun } from './response-run.ts';

/** A prompt, and how it can be shortened. */
export interface DecodedPrompt extends EnginePrompt {
  /** Messages dropped from the conversation. Default: 0. */
  readonly dropped?: number;
  /** Makes room when the response fills the context. Default: the response ends there. */
  readonly shorten?: Shorten | null;
}

/**
 * The prompt with fewer messages, so that `wanted` tokens can follow, and how many were dropped; `null` if it cannot
 * be shortened.
 */
export type Shorten = (
  wanted: number,
) => Steps<{ readonly prompt: DecodedPrompt; readonly dropped: number } | null>;

/** The prompt of a sequence, replaced by a shorter one when the response fills the context. */
export class ShiftingWindow {
  readonly #contextSize: number;
  readonly #shorten: Shorten | null;
  #promptLength: number;

  constructor({ contextSize }: Pick<Engine, 'contextSize'>, { tokens, shorten = null }: DecodedPrompt) {
    this.#contextSize = contextSize;
    this.#shorten = shorten;
    this.#promptLength = tokens.length;
  }

  /** Number of tokens of the prompt. */
  get promptLength(): number {
    return this.#promptLength;
  }

  /** Whether what is written and the token sampled after it do not fit; engines keep one place free. */
  isFull({ tokens }: OpenSequence): boolean {
    return this.#shorten !== null && tokens.length + 1 >= this.#contextSize;
  }

  /** Moves the response after a shorter prompt. If none is short enough, cuts it off and returns `false`. */
  async shift(sequence: OpenSequence, run: ResponseRun): Promise<boolean> {
    const response = sequence.tokens.slice(this.#promptLength);
    const steps = this.#shorten?.(response.length + 2) ?? null;
    const shorter = steps === null ? null : await finishInTurns(steps);
    const all = [...(shorter?.prompt.tokens ?? []), ...response];
    if (shorter === null || all.length + 2 >= this.#contextSize) {
      run.cutOff();
      return false;
    }
    this.#promptLength = shorter.prompt.tokens.length;
    run.drop(shorter.dropped);
    await sequence.replace(all);
    return true;
  }
}
