/** The queue for sequences, and its order. */
import { StalledError } from '../../../format/errors.ts';
import { onAbort } from '../../../format/on-abort.ts';
import { onStall } from '../../chat/on-stall.ts';
import { leastShared, sharedLength } from './shared-prefix.ts';

/** What a sequence holds. */
interface Held {
  readonly contextTokens: readonly number[];
}

interface Waiting<Sequence> {
  readonly prompt: readonly number[];
  readonly begin: (sequence: Sequence) => void;
  readonly leave: (reason: unknown) => void;
  /** How many later requests were served before it. */
  passed: number;
}

/** A prompt may be overtaken this often: with `n` before it, it waits for at most `n + 4` others. */
export const maxPassed = 4;

/** Milliseconds without a reader after which nobody waits for a response any longer. */
export const maxPause = 30_000;

/** A free sequence goes to the prompt that shares most tokens with it, otherwise to the one that has waited longest. */
export class SequenceQueue<Sequence extends Held> {
  readonly #waiting: Waiting<Sequence>[] = [];
  readonly #isAbandoned: () => boolean;

  /** `isAbandoned`: whether no sequence was used for `maxPause`. */
  constructor(isAbandoned: () => boolean) {
    this.#isAbandoned = isAbandoned;
  }

  /**
   * Waits for a sequence. Rejects with the signal's reason, and with `StalledError` if none will become free: nothing
   * else runs, or nobody has read the responses that hold them for long.
   */
  wait(prompt: readonly number[], signal: AbortSignal | undefined): Promise<Sequence> {
    return new Promise((resolve, reject) => {
      const leave = (reason: unknown): void => {
        endWait();
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(reason);
      };
      const begin = (sequence: Sequence): void => {
        endWait();
        resolve(sequence);
      };
      const waiting: Waiting<Sequence> = { prompt, begin, leave, passed: 0 };
      this.#waiting.push(waiting);
      const leaves = [
        signal === undefined ? () => undefined : onAbort(signal, () => leave(signal.reason)),
        onStall(() => leave(noSequence())),
        this.#onAbandoned(() => leave(noSequence('nobody has read the responses that hold one for long'))),
      ];
      const endWait = (): void => {
        for (const forget of leaves) forget();
      };
    });
  }

  /** Calls `fail` once no sequence is used any more; returns a function that cancels this. */
  #onAbandoned(fail: () => void): () => void {
    const timer = setInterval(() => {
      if (this.#isAbandoned()) fail();
    }, maxPause);
    timer.unref();
    return () => clearInterval(timer);
  }

  /** Passes a sequence directly to a waiter, so that no other can take it in between; `false` if none waits. */
  pass(sequence: Sequence): boolean {
    const chosen = this.#chosen(sequence.contextTokens);
    const [next] = this.#waiting.splice(chosen, 1);
    for (const before of this.#waiting.slice(0, chosen)) before.passed += 1;
    next?.begin(sequence);
    return next !== undefined;
  }

  /** Rejects all waiters with `reason`. */
  dismiss(reason: Error): void {
    for (const { leave } of [...this.#waiting]) leave(reason);
  }

  /** The first waiter, unless another saves enough. None may overtake one that has been overtaken too often. */
  #chosen(held: readonly number[]): number {
    const patient = this.#waiting.findIndex(({ passed }) => passed >= maxPassed);
    const candidates = patient < 0 ? this.#waiting : this.#waiting.slice(0, patient + 1);
    const shared = candidates.map(({ prompt }) => sharedLength(held, prompt));
    const most = Math.max(...shared);
    return most - (shared[0] ?? 0) < leastShared ? 0 : shared.indexOf(most);
  }
}

function noSequence(because?: string): StalledError {
  return new StalledError({
    waitsFor: 'a free sequence of the context',
    ...(because === undefined ? {} : { because }),
    advice:
      'nothing reads the responses that hold one; read each to its end or leave its loop before the next begins, ' +
      'or load the model with more `sequences`',
  });
}
