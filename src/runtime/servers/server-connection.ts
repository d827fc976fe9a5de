/** Requests to one server, with `fetch`. Whatever goes wrong is a `ServerError`, or the signal's reason. */
import { createParser } from 'eventsource-parser';
import { ServerError } from '../../format/errors.ts';
import { isRecord } from '../../format/option-rules.ts';
import { onAbort } from '../chat/on-abort.ts';
import type { ServerQuestion } from './server-dialect.ts';

/** Where a server is and how it is spoken to. */
export interface ConnectionOptions {
  /** `http://localhost:8080`, with a path if the server is after one. */
  readonly url: string;
  /** Sent as a bearer token; never part of an error. */
  readonly apiKey?: string;
  /** Makes the requests. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch;
}

/** As much of a server's own words as an error repeats. */
const longestReason = 500;
/** UTF-16 units of one event; a longer one is no token of a response. */
const longestEvent = 16_000_000;
/** What vLLM and SGLang end a stream with. */
const endOfStream = '[DONE]';

/** See the top of this file. */
export class ServerConnection {
  readonly #base: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #fetch: typeof fetch;

  constructor({ url, apiKey, fetch: own }: ConnectionOptions) {
    this.#base = new URL(url).href.replace(/\/+$/, '');
    this.#headers = apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` };
    this.#fetch = own ?? fetch;
  }

  /** Asks, and reads the one answer. */
  async ask<Answer>(question: ServerQuestion<Answer>, signal: AbortSignal | undefined): Promise<Answer> {
    const response = await this.#send(question, signal);
    const text = await this.#read(question, () => response.text(), signal);
    return this.#understand(question, text);
  }

  /** Asks, and reads the answer's events as they come. Leaving the iteration ends the request. */
  async *stream<Answer>(
    question: ServerQuestion<Answer>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Answer, void> {
    signal?.throwIfAborted();
    const leaving = new AbortController();
    const forget = signal === undefined ? null : onAbort(signal, () => leaving.abort(signal.reason));
    try {
      const response = await this.#send(question, leaving.signal);
      for await (const data of this.#events(question, response, leaving.signal)) {
        if (data === endOfStream) return;
        yield this.#understand(question, data);
      }
    } finally {
      forget?.();
      leaving.abort();
    }
  }

  async #send({ path, body }: ServerQuestion<unknown>, signal: AbortSignal | undefined): Promise<Response> {
    signal?.throwIfAborted();
    const request =
      body === null
        ? { method: 'GET', headers: this.#headers }
        : {
            method: 'POST',
            headers: { ...this.#headers, 'content-type': 'application/json' },
            body: JSON.stringify(body),
          };
    const response = await this.#read(
      { path },
      () => this.#fetch(`${this.#base}${path}`, { ...request, ...(signal === undefined ? {} : { signal }) }),
      signal,
    );
    if (response.ok) return response;
    const words = await this.#read({ path }, () => response.text(), signal);
    throw this.error(path, reasonOf(parsed(words)) ?? words, response.status);
  }

  async *#events(
    { path }: ServerQuestion<unknown>,
    response: Response,
    signal: AbortSignal,
  ): AsyncGenerator<string, void> {
    const reader = response.body?.getReader();
    if (reader === undefined) throw this.error(path, 'the answer is empty');
    const ready: string[] = [];
    const failed: Error[] = [];
    const parser = createParser({
      onEvent: ({ data }) => void ready.push(data),
      onError: (error) => void (error.type === 'max-buffer-size-exceeded' && failed.push(error)),
      maxBufferSize: longestEvent,
    });
    const decoder = new TextDecoder();
    for (;;) {
      const { done, value } = await this.#read({ path }, () => reader.read(), signal);
      parser.feed(done ? '\n\n' : decoder.decode(value, { stream: true }));
      yield* ready.splice(0);
      if (failed[0] !== undefined) throw this.error(path, failed[0].message);
      if (done) return;
    }
  }

  async #read<Result>(
    { path }: { readonly path: string },
    work: () => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> {
    try {
      return await work();
    } catch (cause) {
      signal?.throwIfAborted();
      throw new ServerError({ url: `${this.#base}${path}`, reason: messageOf(cause), cause });
    }
  }

  #understand<Answer>({ path, read }: ServerQuestion<Answer>, text: string): Answer {
    const answer = parsed(text);
    const understood = read(answer);
    if (understood !== null) return understood;
    const reason = reasonOf(answer) ?? `an answer that is not what was asked for: ${text}`;
    throw this.error(path, reason);
  }

  /** What went wrong with a request to `path`. */
  error(path: string, reason: string, status?: number): ServerError {
    const facts = { url: `${this.#base}${path}`, reason: reason.trim().slice(0, longestReason) };
    return new ServerError(status === undefined ? facts : { ...facts, status });
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** The servers' ways of saying what went wrong: `{ error: { message } }`, `{ error }`, `{ message }`, `{ detail }`. */
function reasonOf(answer: unknown): string | null {
  if (!isRecord(answer)) return null;
  const { error = answer } = answer;
  if (typeof error === 'string') return error;
  if (!isRecord(error)) return null;
  const { message = error.detail } = error;
  if (message === undefined) return null;
  return typeof message === 'string' ? message : JSON.stringify(message);
}

/** `fetch` itself only says that it failed; its cause says why. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message;
}
