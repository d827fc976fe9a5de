/** The record of a finished request: figures, no contents. */
import type { Finish, ResponseEvent, Usage } from '../parser/events.ts';

/**
 * A request that was answered, rejected or left. Of those that ask no model (lists, counts of tokens) only the rejected
 * ones are recorded. Times are in milliseconds.
 */
export interface RequestRecord {
  readonly id: string;
  /** The path of the API; `other` where no model was asked, and for an unknown path. */
  readonly endpoint: string;
  /** `null` if none was found. */
  readonly model: string | null;
  readonly stream: boolean;
  /** HTTP status; 499 if the client left. For an error after the beginning of a stream, the status of that error. */
  readonly status: number;
  /** The code of an error. */
  readonly code: string | null;
  /** Why the response ended; `null` if it did not. */
  readonly finish: Finish['reason'] | null;
  /** `null` if nothing was generated. */
  readonly usage: Usage | null;
  readonly calls: number;
  /** Number of stretches of text that do not fit the model's format. */
  readonly malformed: number;
  /** From the request to the first event; `null` if there was none. */
  readonly firstEventMs: number | null;
  readonly totalMs: number;
}

/** Fills a record while its request is processed. */
export class RequestWatch {
  readonly #begun = performance.now();
  readonly #id: string;
  readonly #endpoint: string;
  readonly #done: (record: RequestRecord) => void;
  #firstEventMs: number | null = null;
  #finish: Finish | null = null;
  #calls = 0;
  #malformed = 0;
  #isOver = false;
  /** Set when it is known. */
  model: string | null = null;
  stream = false;

  constructor(id: string, endpoint: string, done: (record: RequestRecord) => void) {
    this.#id = id;
    this.#endpoint = endpoint;
    this.#done = done;
  }

  /** Passes the events through, and records them. */
  async *watch(events: AsyncIterable<ResponseEvent>): AsyncGenerator<ResponseEvent, void> {
    for await (const event of events) {
      this.#firstEventMs ??= performance.now() - this.#begun;
      if (event.type === 'tool-call') this.#calls += 1;
      if (event.type === 'malformed') this.#malformed += 1;
      if (event.type === 'finish') this.#finish = event;
      yield event;
    }
  }

  /** Ends the record; later calls are ignored. */
  end(status: number, code: string | null = null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#done({
      id: this.#id,
      endpoint: this.#endpoint,
      model: this.model,
      stream: this.stream,
      status,
      code,
      finish: this.#finish?.reason ?? null,
      usage: this.#finish?.usage ?? null,
      calls: this.#calls,
      malformed: this.#malformed,
      firstEventMs: this.#firstEventMs,
      totalMs: performance.now() - this.#begun,
    });
  }
}
