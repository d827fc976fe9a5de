/** A Worker that is replaced when it takes too long. */
import type { Answer, Ask, RequestName } from './requests.ts';
import InspectorWorker from './worker.ts?worker&inline';
import type { FailedAnswer, WorkerAnswer, WorkerRequest } from './worker-messages.ts';

/** A request that failed: the Worker said why, or took too long. */
export class RequestError extends Error {
  override name = 'RequestError';
  readonly failure: FailedAnswer;

  constructor(failure: FailedAnswer) {
    super(failure.message);
    this.failure = failure;
  }
}

interface Waiting {
  readonly request: WorkerRequest;
  resolve(value: unknown): void;
  reject(error: RequestError): void;
}

/** Sends one request at a time. A hostile template costs its own Worker, never the page. */
export class WorkerClient {
  readonly #limit: number;
  readonly #queue: Waiting[] = [];
  #worker: Worker | null = null;
  #busy: { readonly waiting: Waiting; readonly timer: ReturnType<typeof setTimeout> } | null = null;
  #ids = 0;

  /** `limit`: milliseconds that a request may take. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Asks, and answers when it is its turn. A request of the same name that still waits is given up with
   * `null`: only the latest is worth an answer. Throws `RequestError`.
   */
  ask<Name extends RequestName>(name: Name, ask: Ask<Name>): Promise<Answer<Name> | null> {
    return new Promise((resolve, reject) => {
      this.#ids += 1;
      const earlier = this.#queue.findIndex(({ request }) => request.name === name);
      for (const each of earlier < 0 ? [] : this.#queue.splice(earlier, 1)) each.resolve(null);
      this.#queue.push({
        request: { id: this.#ids, name, ask },
        // The answer to a request is of its own type: `requests` pairs them.
        resolve: (value) => resolve(value as Answer<Name> | null),
        reject,
      });
      this.#next();
    });
  }

  /** Gives up all requests with `null`, the running one too, and begins with a new Worker. */
  restart(): void {
    const left = this.#queue.splice(0);
    if (this.#busy !== null) left.unshift(this.#busy.waiting);
    this.#drop();
    for (const each of left) each.resolve(null);
  }

  /** The same, where a request runs: a new template does not wait for an old one. */
  restartIfBusy(): void {
    if (this.#busy !== null) this.restart();
  }

  #next(): void {
    if (this.#busy !== null) return;
    const waiting = this.#queue.shift();
    if (waiting === undefined) return;
    this.#worker ??= this.#start();
    this.#busy = { waiting, timer: setTimeout(() => this.#tooLong(), this.#limit) };
    this.#worker.postMessage(waiting.request);
  }

  #start(): Worker {
    const worker = new InspectorWorker();
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => this.#settle(data));
    worker.addEventListener('error', (event) => {
      event.preventDefault();
      this.#fail({ name: 'WorkerError', message: event.message || 'the Worker broke down' });
    });
    return worker;
  }

  #settle(answer: WorkerAnswer): void {
    if (this.#busy?.waiting.request.id !== answer.id) return;
    const { waiting, timer } = this.#busy;
    clearTimeout(timer);
    this.#busy = null;
    if ('failure' in answer) waiting.reject(new RequestError(answer.failure));
    else waiting.resolve(answer.value);
    this.#next();
  }

  #tooLong(): void {
    const seconds = Math.round(this.#limit / 1000);
    this.#fail({
      name: 'TimeLimitError',
      message: `given up after ${seconds} s, the most that the page gives it`,
    });
  }

  #fail(failure: FailedAnswer): void {
    const waiting = this.#busy?.waiting;
    this.#drop();
    waiting?.reject(new RequestError(failure));
    this.#next();
  }

  #drop(): void {
    if (this.#busy !== null) clearTimeout(this.#busy.timer);
    this.#busy = null;
    this.#worker?.terminate();
    this.#worker = null;
  }
}
