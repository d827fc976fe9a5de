/** What `model.chat` returns: events to iterate over, and the message as a promise. */
import type { ResponseEvent, ResponseMessage } from '../../events.ts';

/**
 * One response. It is generated as it is read: iterate over the events, or await `message`, or both.
 * Leaving the iteration early ends the response; `message` is then what had been written.
 */
export interface ChatStream extends AsyncIterable<ResponseEvent> {
  /** The finished message. Rejects with whatever ended the response: a typed error, the signal's reason. */
  readonly message: Promise<ResponseMessage>;
}

type Generation = AsyncGenerator<ResponseEvent, ResponseMessage>;

/**
 * A stream over a generation that starts when somebody first looks. `interrupted` is asked for the
 * message of one that was left.
 */
export class GeneratedStream implements ChatStream {
  readonly #generation: Generation;
  readonly #interrupted: () => ResponseMessage;
  readonly #message: Promise<ResponseMessage>;
  #settle: {
    readonly resolve: (message: ResponseMessage) => void;
    readonly reject: (reason: unknown) => void;
  } = {
    resolve: () => undefined,
    reject: () => undefined,
  };
  #iterating = false;

  constructor(generation: Generation, interrupted: () => ResponseMessage) {
    this.#generation = generation;
    this.#interrupted = interrupted;
    this.#message = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
    // A failure reaches whoever iterates or awaits; it must not also count as unhandled.
    this.#message.catch(() => undefined);
  }

  get message(): Promise<ResponseMessage> {
    // Later, so that whoever takes the promise first and iterates then is the reader.
    if (!this.#iterating) queueMicrotask(() => void this.#drain());
    return this.#message;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ResponseEvent, void> {
    if (this.#iterating) throw new TypeError('this response is being read already');
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
        yield value;
      }
    } catch (error) {
      ended = true;
      this.#settle.reject(error);
      throw error;
    } finally {
      if (!ended) await this.#leave();
    }
  }

  /** The reader left: the engine is freed first, then the message is what was written. */
  async #leave(): Promise<void> {
    await this.#generation.return({ role: 'assistant', content: null });
    this.#settle.resolve(this.#interrupted());
  }

  /** Reads to the end for someone who only wants the message. */
  async #drain(): Promise<void> {
    if (this.#iterating) return;
    try {
      for await (const event of this) void event;
    } catch {
      // `message` was rejected with it.
    }
  }
}
