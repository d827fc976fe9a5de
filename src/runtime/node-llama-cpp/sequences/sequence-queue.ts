/** Those who wait for a sequence, and which of them gets the next. */
import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import { onAbort } from '../../chat/on-abort.ts';
import { leastShared, sharedLength } from './shared-prefix.ts';

interface Waiting {
  readonly prompt: readonly Token[];
  readonly begin: (sequence: LlamaContextSequence) => void;
  /** How many who came later went before. */
  passed: number;
}

/** So many who came later may go before somebody; so with `n` before it, a prompt waits for `n + 4` others at most. */
export const mostPassed = 4;

/** A sequence goes to whoever has most of its tokens in the prompt, otherwise to the one who waits longest. */
export class SequenceQueue {
  readonly #waiting: Waiting[] = [];

  /** Waits for a sequence. Rejects with the signal's reason. */
  wait(prompt: readonly Token[], signal: AbortSignal | undefined): Promise<LlamaContextSequence> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal?.reason);
      };
      const begin = (sequence: LlamaContextSequence): void => {
        stay();
        resolve(sequence);
      };
      const waiting: Waiting = { prompt, begin, passed: 0 };
      this.#waiting.push(waiting);
      const stay = signal === undefined ? () => undefined : onAbort(signal, leave);
    });
  }

  /** Gives a sequence away, without a moment in which somebody else could take it; `false` where nobody waits. */
  pass(sequence: LlamaContextSequence): boolean {
    const chosen = this.#chosen(sequence.contextTokens);
    const [next] = this.#waiting.splice(chosen, 1);
    for (const before of this.#waiting.slice(0, chosen)) before.passed += 1;
    next?.begin(sequence);
    return next !== undefined;
  }

  /** The first one where nobody else saves enough. Nobody goes before one who has been passed often enough. */
  #chosen(held: readonly Token[]): number {
    const patient = this.#waiting.findIndex(({ passed }) => passed >= mostPassed);
    const candidates = patient < 0 ? this.#waiting : this.#waiting.slice(0, patient + 1);
    const shared = candidates.map(({ prompt }) => sharedLength(held, prompt));
    const most = Math.max(...shared);
    return most - (shared[0] ?? 0) < leastShared ? 0 : shared.indexOf(most);
  }
}
