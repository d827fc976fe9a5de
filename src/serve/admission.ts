/** Limits the number of concurrent requests; the others wait, and the keys take turns. */
import { onAbort } from '../format/on-abort.ts';
import { RequestError } from './errors.ts';

interface Waiting {
  readonly begin: () => void;
}

/** Admits requests: round robin by key; for each key, in order of arrival. */
export class Admission {
  readonly #limits: { readonly concurrency: number; readonly queueLimit: number };
  /** Keys, in the order of their turns. */
  readonly #queues = new Map<string, Waiting[]>();
  #running = 0;
  #queued = 0;

  constructor(limits: { readonly concurrency: number; readonly queueLimit: number }) {
    this.#limits = limits;
  }

  /** Number of running requests. */
  get running(): number {
    return this.#running;
  }

  /** Number of waiting requests. */
  get queued(): number {
    return this.#queued;
  }

  /**
   * Waits for a turn; returns a function that ends it, to be called once. Throws `RequestError` (429) if too many
   * wait, and the signal's reason.
   */
  async enter(key: string, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#running >= this.#limits.concurrency) await this.#turn(key, signal);
    else this.#running += 1;
    let isIn = true;
    return () => {
      if (isIn) this.#leave();
      isIn = false;
    };
  }

  #turn(key: string, signal: AbortSignal): Promise<void> {
    if (this.#queued >= this.#limits.queueLimit) throw this.#full();
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        begin: () => {
          forget();
          resolve();
        },
      };
      const forget = onAbort(signal, () => {
        this.#forget(key, waiting);
        reject(signal.reason);
      });
      const queue = this.#queues.get(key) ?? [];
      this.#queues.set(key, queue);
      queue.push(waiting);
      this.#queued += 1;
    });
  }

  #forget(key: string, waiting: Waiting): void {
    const queue = this.#queues.get(key) ?? [];
    queue.splice(queue.indexOf(waiting), 1);
    if (queue.length === 0) this.#queues.delete(key);
    this.#queued -= 1;
  }

  /** The place passes directly to the first request of the next key, so that no other can take it in between. */
  #leave(): void {
    const [turn] = this.#queues;
    const waiting = turn?.[1].shift();
    if (turn === undefined || waiting === undefined) {
      this.#running -= 1;
      return;
    }
    const [key, queue] = turn;
    // The key moves to the end of the order.
    this.#queues.delete(key);
    if (queue.length > 0) this.#queues.set(key, queue);
    this.#queued -= 1;
    waiting.begin();
  }

  #full(): RequestError {
    const reason = `${this.#queued} requests are waiting already; try again later`;
    // The duration of running requests is unknown; a second is estimated for each waiting one.
    const retryAfter = Math.max(1, Math.ceil(this.#queued / this.#limits.concurrency));
    return new RequestError({ status: 429, reasonCode: 'queue_full', param: null, reason, retryAfter });
  }
}
