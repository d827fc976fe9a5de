/** A stream of events and a result, generated on demand. */
import { ResponseReadError, StalledError } from '../../format/errors.ts';
import { eventResponse, eventStreamOf } from './event-body.ts';
import { onStall } from './on-stall.ts';

type Generation<Event, Result> = AsyncGenerator<Event, Result>;

/** Whoever asked for the events first: nobody else gets them, even before their first one is read. */
interface Reader {
  readonly isFirst: boolean;
  hasBegun: boolean;
  /** Until the events end, or the reader leaves. */
  isReading: boolean;
  isLeaving: boolean;
}

interface Settle<Result> {
  readonly resolve: (result: Result | PromiseLike<Result>) => void;
  readonly reject: (reason: unknown) => void;
}

/**
 * A stream over a generation that starts when it is first read. If the reader leaves early, `interrupted` gives the
 * result; `left` is called at once, also while the generation works on its next event, which may then fail. Events are not
 * stored: a second reader gets a `ResponseReadError`.
 */
export class GeneratedStream<Event, Result> implements AsyncIterable<Event> {
  readonly #generation: Generation<Event, Result>;
  readonly #interrupted: () => Result;
  readonly #left: () => void;
  readonly #result: Promise<Result>;
  #settle: Settle<Result> = { resolve: () => undefined, reject: () => undefined };
  #hasReader = false;
  /** The reader is not waiting for an event. */
  #isLeft = false;
  #isWatched = false;

  constructor(
    generation: Generation<Event, Result>,
    interrupted: () => Result,
    left: () => void = () => undefined,
  ) {
    this.#generation = generation;
    this.#interrupted = interrupted;
    this.#left = left;
    this.#result = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // The error is delivered to whoever iterates or awaits; it must not also be reported as unhandled.
    this.#result.catch(() => undefined);
  }

  /** The result of the generation. Runs it to its end unless it has a reader. */
  protected get result(): Promise<Result> {
    // Deferred, so that a caller who takes the promise first may still iterate.
    if (!this.#hasReader) queueMicrotask(() => void this.#drain());
    this.#watch();
    return this.#result;
  }

  /** A part of the result. Rejects like the result, and is not reported as unhandled either. */
  protected part<Part>(read: (result: Result) => Part): Promise<Part> {
    const part = this.result.then(read);
    part.catch(() => undefined);
    return part;
  }

  toReadableStream(): ReadableStream<Event> {
    return eventStreamOf(this);
  }

  toResponse(init?: ResponseInit): Response {
    return eventResponse(this, init);
  }

  [Symbol.asyncIterator](): AsyncGenerator<Event, void> {
    const isFirst = !this.#hasReader;
    const reader: Reader = { isFirst, hasBegun: false, isReading: isFirst, isLeaving: false };
    if (isFirst) this.#isLeft = true;
    this.#hasReader = true;
    const events = this.#read(reader);
    const end = events.return.bind(events);
    return Object.assign(events, {
      return: async (value: void | PromiseLike<void>) => {
        // A generator itself would leave only when its next event is there, and not at all before it has begun.
        if (reader.isReading) {
          reader.isLeaving = true;
          this.#left();
          if (!reader.hasBegun) {
            reader.isReading = false;
            await this.#leave();
          }
        }
        return end(value);
      },
    });
  }

  async *#read(reader: Reader): AsyncGenerator<Event, void> {
    if (!reader.isFirst) throw new ResponseReadError();
    reader.hasBegun = true;
    this.#isLeft = false;
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
      if (reader.isLeaving) return;
      ended = true;
      this.#settle.reject(error);
      throw error;
    } finally {
      reader.isReading = false;
      if (!ended) await this.#leave();
    }
  }

  /** The reader left: first the engine is freed; then the result is what had been generated. */
  async #leave(): Promise<void> {
    try {
      await this.#generation.return(undefined as Result);
    } finally {
      this.#settle.resolve(this.#interrupted());
    }
  }

  /** Rejects the result if whoever iterates can no longer continue. */
  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    const stay = onStall(() => {
      this.#isWatched = false;
      if (this.#isLeft) this.#settle.reject(notRead());
      // It waits for something else, and may continue after that fails.
      else this.#watch();
    });
    this.#result.then(stay, stay);
  }

  /** Reads to the end for a caller who only wants the result. */
  async #drain(): Promise<void> {
    if (this.#hasReader) return;
    try {
      for await (const event of this) void event;
    } catch {
      // The result has been rejected with it.
    }
  }
}

function notRead(): StalledError {
  return new StalledError({
    waitsFor: 'the end of a response',
    advice: 'the loop that reads it is blocked; await the message after that loop, never inside it',
  });
}
