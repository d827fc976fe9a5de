/** Events and a result that are made as they are read. */
import { ResponseReadError, StalledError } from '../../format/errors.ts';
import { onStall } from './on-stall.ts';

type Generation<Event, Result> = AsyncGenerator<Event, Result>;

interface Settle<Result> {
  readonly resolve: (result: Result | PromiseLike<Result>) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * A stream over a generation that starts when it is first read. `interrupted` is asked for the
 * result of one that was left. Events are not kept: a second reader gets a `ResponseReadError`.
 */
export class GeneratedStream<Event, Result> implements AsyncIterable<Event> {
  readonly #generation: Generation<Event, Result>;
  readonly #interrupted: () => Result;
  readonly #result: Promise<Result>;
  #settle: Settle<Result> = { resolve: () => undefined, reject: () => undefined };
  #iterating = false;
  /** The reader has an event, and has not asked for the next. */
  #isLeft = false;
  #isWatched = false;

  constructor(generation: Generation<Event, Result>, interrupted: () => Result) {
    this.#generation = generation;
    this.#interrupted = interrupted;
    this.#result = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // A failure reaches those who iterate or await; it must not also count as unhandled.
    this.#result.catch(() => undefined);
  }

  /** The result of the generation. Reads it to its end unless it is being iterated. */
  protected get result(): Promise<Result> {
    // Later, so that a caller who first takes the promise and then iterates is the reader.
    if (!this.#iterating) queueMicrotask(() => void this.#drain());
    this.#watch();
    return this.#result;
  }

  /** A part of the result. Rejects with what the result rejects with; like it, unseen if it is not awaited. */
  protected part<Part>(read: (result: Result) => Part): Promise<Part> {
    const part = this.result.then(read);
    part.catch(() => undefined);
    return part;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Event, void> {
    if (this.#iterating) throw new ResponseReadError();
    this.#iterating = true;
    let ended = false;
    try {
      while (true) {
        const { done, value } = await this.#generation.next();
        if (done === true) {
          ended = true;
          this.#settle.resolve(value);
          return;
        }
        this.#isLeft = true;
        yield value;
        this.#isLeft = false;
      }
    } catch (error) {
      ended = true;
      this.#settle.reject(error);
      throw error;
    } finally {
      if (!ended) await this.#leave();
    }
  }

  /** The reader left: the engine is freed first, then the result is what had come by then. */
  async #leave(): Promise<void> {
    try {
      await this.#generation.return(undefined as Result);
    } finally {
      this.#settle.resolve(this.#interrupted());
    }
  }

  /** Whoever waits for the result is told where the one who iterates does not go on. */
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    const stay = onStall(() => {
      this.#isWatched = false;
      if (this.#isLeft) this.#settle.reject(notRead());
      // It waits for something else, which may go on once it has failed.
      else this.#watch();
    });
    this.#result.then(stay, stay);
  }

  /** Reads to the end for someone who only wants the result. */
  async #drain(): Promise<void> {
    if (this.#iterating) return;
    try {
      for await (const event of this) void event;
    } catch {
      // The result was rejected with it.
    }
  }
}

function notRead(): StalledError {
  return new StalledError({
    waitsFor: 'the end of a response',
    advice: 'the loop that reads it is blocked; await the message after that loop, never inside it',
  });
}
