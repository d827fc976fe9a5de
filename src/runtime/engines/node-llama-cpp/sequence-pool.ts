/** The sequences of one context, handed out to one response at a time. */
import type { LlamaContext, LlamaContextSequence, Token } from 'node-llama-cpp';

/** A sequence that is in use; `release` gives it to the next one who waits. */
export interface LeasedSequence {
  readonly sequence: LlamaContextSequence;
  release(): void;
}

/** Hands out sequences, first come first served. */
export class SequencePool {
  readonly #free: LlamaContextSequence[];
  readonly #waiting: (() => void)[] = [];

  constructor(context: LlamaContext) {
    this.#free = Array.from({ length: context.totalSequences }, () => context.getSequence());
  }

  /** A free sequence, the one that already holds most of `prompt`; waits for its turn. */
  async lease(prompt: readonly Token[], signal: AbortSignal | undefined): Promise<LeasedSequence> {
    while (this.#free.length === 0) await this.#turn(signal);
    signal?.throwIfAborted();
    const shared = this.#free.map((sequence) => sharedLength(sequence.contextTokens, prompt));
    const [sequence] = this.#free.splice(shared.indexOf(Math.max(...shared)), 1);
    if (sequence === undefined) throw new RangeError('no free sequence');
    return {
      sequence,
      release: () => {
        this.#free.push(sequence);
        this.#waiting.shift()?.();
      },
    };
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(turn), 1);
        reject(signal?.reason);
      };
      const turn = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      this.#waiting.push(turn);
      signal?.addEventListener('abort', leave, { once: true });
    });
  }
}

function sharedLength(held: readonly Token[], prompt: readonly Token[]): number {
  const end = held.findIndex((token, index) => token !== prompt[index]);
  return end < 0 ? held.length : end;
}
