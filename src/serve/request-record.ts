/** What is kept of a request once it is over: figures, no contents. */
import type { Finish, ResponseEvent, Usage } from '../parser/events.ts';

/** One request that was answered, refused or left. Times are in milliseconds. */
export interface RequestRecord {
  readonly id: string;
  readonly endpoint: string;
  /** `null` where none was found. */
  readonly model: string | null;
  readonly stream: boolean;
  /** HTTP status; 499 where the client left. An error after the beginning of a stream counts with its own. */
  readonly status: number;
  /** Of an error, for programs. */
  readonly code: string | null;
  /** Why the response ended; `null` where it did not. */
  readonly finish: Finish['reason'] | null;
  /** `null` where nothing was generated. */
  readonly usage: Usage | null;
  readonly calls: number;
  /** Stretches of text that fit the model's format nowhere. */
  readonly malformed: number;
  /** From the request to the first event; `null` where none came. */
  readonly firstEventMs: number | null;
  readonly totalMs: number;
}

/** Fills a record while its request is answered. */
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
  /** As they become known. */
  model: string | null = null;
  stream = false;

  constructor(id: string, endpoint: string, done: (record: RequestRecord) => void) {
    this.#id = id;
    this.#endpoint = endpoint;
    this.#done = done;
  }

  /** The same events, seen. */
  async *watch(events: AsyncIterable<ResponseEvent>): AsyncGenerator<ResponseEvent, void> {
    for await (const event of events) {
      this.#firstEventMs ??= performance.now() - this.#begun;
      if (event.type === 'tool-call') this.#calls += 1;
      if (event.type === 'malformed') this.#malformed += 1;
      if (event.type === 'finish') this.#finish = event;
      yield event;
    }
  }

  /** The request is over; only the first word on it counts. */
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
