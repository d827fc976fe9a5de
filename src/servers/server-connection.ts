/** Requests to one server, with `fetch`. Every failure is a `ServerError`, or the signal's reason. */
import { createParser } from 'eventsource-parser';
import { ServerError } from '../format/errors.ts';
import { parseJson } from '../format/json-values.ts';
import { readBeginning, readBody } from '../format/limited-body.ts';
import { follow, untilAborted } from '../format/on-abort.ts';
import { isRecord } from '../format/option-rules.ts';
import { retryAfter } from '../format/retry-after.ts';
import {
  adviceOn,
  adviceOnAnswer,
  adviceOnFailure,
  messageOf,
  reasonOf,
  unexpectedAnswer,
  wordsOf,
} from './failure-text.ts';
import { isLost, isOverloaded } from './retry.ts';
import type { ServerQuestion } from './server-dialect.ts';

/** Address and credentials of a server. */
interface ConnectionOptions {
  /** `http://localhost:8080`, with a path if the server has one. */
  readonly url: string;
  /** Sent as a bearer token; never part of an error. */
  readonly apiKey?: string | undefined;
  /** Sends the requests. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch | undefined;
  /** Milliseconds; see `ServerOptions.timeoutMs`. Default: 300,000. */
  readonly timeoutMs?: number | undefined;
  /** Whether other servers can take its place: then its silence is transient. Default: false. */
  readonly hasOthers?: boolean | undefined;
}

/** Further facts of an error. */
type ServerErrorFacts = Partial<
  Pick<ServerError, 'status' | 'transient' | 'retryAfterMs' | 'advice' | 'cause'>
>;

/** How much of the server's words an error repeats. */
const maxReason = 500;
/** Maximum bytes of an answer that is not streamed: more than the tokens of a prompt of millions of characters. */
const maxAnswer = 32_000_000;
/** Maximum bytes of a refusal that are read. */
const maxRefusal = 64_000;
/** Maximum UTF-16 units of one event; a longer one is no token of a response. */
const maxEvent = 1_000_000;
/** Maximum bytes of a stream: a kilobyte for each token of the longest contexts. */
const maxStream = 2_000_000_000;
const defaultTimeoutMs = 300_000;
/** The last event of vLLM and SGLang. */
const endOfStream = '[DONE]';

/** See the top of this file. */
export class ServerConnection {
  readonly #base: string;
  readonly #apiKey: string;
  readonly #fetch: typeof fetch;
  readonly #timeoutMs: number;
  readonly #hasOthers: boolean;

  constructor({
    url,
    apiKey = '',
    fetch: own,
    timeoutMs = defaultTimeoutMs,
    hasOthers = false,
  }: ConnectionOptions) {
    this.#hasOthers = hasOthers;
    this.#base = new URL(url).href.replace(/(?<!\/)\/+$/, '');
    this.#apiKey = apiKey.trim();
    this.#fetch = own ?? fetch;
    this.#timeoutMs = timeoutMs;
  }

  /** Its address. */
  get url(): string {
    return this.#base;
  }

  /** Sends a question, and reads the answer. */
  async ask<Answer>(question: ServerQuestion<Answer>, signal: AbortSignal | undefined): Promise<Answer> {
    return this.#timed(question, signal, async (timed) => {
      const response = await this.#send(question, timed);
      const bytes = await this.#try(question, timed, () => readBody(response, maxAnswer));
      if (bytes === null) throw this.error(question.path, `an answer of more than ${maxAnswer} bytes`);
      return this.#understand(question, new TextDecoder().decode(bytes));
    });
  }

  /** Sends a question, and reads the answer's events as they come. Leaving the iteration ends the request. */
  async *stream<Answer>(
    question: ServerQuestion<Answer>,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Answer, void> {
    const leaving = new AbortController();
    const timed = <Result>(work: (signal: AbortSignal) => Promise<Result>): Promise<Result> =>
      this.#timed(question, signal, work, leaving);
    try {
      const body = (await question.bodyFrom?.((first) => this.ask(first, signal))) ?? question.body;
      const response = await timed((limit) => this.#send({ ...question, body }, limit));
      const events = this.#events(question, response, leaving.signal);
      for (;;) {
        // Only events count as activity: comments may come for ever.
        const { done, value } = await timed(() => events.next());
        if (done === true || value === endOfStream) return;
        yield this.#understand(question, value);
      }
    } finally {
      leaving.abort();
    }
  }

  /**
   * Runs `work` with a signal that aborts with the caller's signal, or at the time limit. `leaving` is then aborted; a
   * stream has one for all of its parts.
   */
  async #timed<Result>(
    { path }: ServerQuestion<unknown>,
    signal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Result>,
    leaving = new AbortController(),
  ): Promise<Result> {
    signal?.throwIfAborted();
    const forget = follow(leaving, signal);
    const timer = setTimeout(() => leaving.abort(this.#silence(path)), this.#timeoutMs);
    try {
      return await work(leaving.signal);
    } finally {
      clearTimeout(timer);
      forget();
    }
  }

  async #send({ path, body }: ServerQuestion<unknown>, signal: AbortSignal): Promise<Response> {
    const authorization = this.#apiKey === '' ? {} : { authorization: `Bearer ${this.#apiKey}` };
    const content = body === null ? {} : { 'content-type': 'application/json' };
    const response = await this.#try({ path }, signal, () =>
      this.#fetch(`${this.#base}${path}`, {
        method: body === null ? 'GET' : 'POST',
        headers: { ...authorization, ...content },
        ...(body === null ? {} : { body: JSON.stringify(body) }),
        // The target of a redirection would receive the prompt, and be trusted.
        redirect: 'manual',
        signal,
      }),
    );
    if (isRedirect(response)) {
      await response.body?.cancel();
      const reason = `it redirects${targetOf(response)}, which is not followed; give the server's own address`;
      throw this.error(path, reason, this.#refused(response));
    }
    if (response.ok) return response;
    const { bytes } = await this.#try({ path }, signal, () => readBeginning(response, maxRefusal));
    throw this.error(path, wordsOf(new TextDecoder().decode(bytes)), this.#refused(response));
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
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') failed.push(error);
        // llama-server's notation for errors in the middle of a stream.
        if (error.type === 'unknown-field' && error.field === 'error') ready.push(`{"error":${error.value}}`);
      },
      maxBufferSize: maxEvent,
    });
    const decoder = new TextDecoder();
    let heard = performance.now();
    for (let length = 0; ; ) {
      const { done, value } = await this.#try({ path }, signal, () => reader.read());
      length += value?.length ?? 0;
      if (length > maxStream) throw this.error(path, `a stream of more than ${maxStream} bytes`);
      parser.feed(done ? '\n\n' : decoder.decode(value, { stream: true }));
      const events = ready.splice(0);
      yield* events;
      if (events.length > 0) heard = performance.now();
      // A timer does not fire while a body always has data.
      if (performance.now() - heard > this.#timeoutMs) throw this.#silence(path);
      if (failed[0] !== undefined) throw this.error(path, failed[0].message);
      if (done) return;
    }
  }

  async #try<Result>(
    { path }: { readonly path: string },
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    try {
      // A custom `fetch` may ignore signals.
      return await untilAborted(work(), signal);
    } catch (cause) {
      signal.throwIfAborted();
      const reason = this.#withoutKey(messageOf(cause));
      // The cause is printed, too.
      const shown = reason === messageOf(cause) ? { cause } : {};
      const facts = { transient: isLost(cause), advice: adviceOnFailure(cause) };
      throw this.error(path, reason, { ...facts, ...shown });
    }
  }

  #understand<Answer>({ path, read, failure }: ServerQuestion<Answer>, text: string): Answer {
    const answer = parseJson(text) ?? null;
    const hasError = isRecord(answer) && Boolean(answer.error);
    const failed = hasError ? (reasonOf(answer) ?? text) : failure?.(answer);
    // A server that ends a response by itself is shutting down, or has dropped it.
    if (typeof failed === 'string') throw this.error(path, failed, { transient: !hasError });
    const understood = read(answer);
    if (understood !== null) return understood;
    throw this.error(path, unexpectedAnswer(text), { advice: adviceOnAnswer(text) });
  }

  /** The error of a request to `path`. */
  error(path: string, reason: string, facts: ServerErrorFacts = {}): ServerError {
    // Errors are logged, and shown in terminals.
    const shown = this.#withoutKey(reason)
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, maxReason);
    return new ServerError({ url: `${this.#base}${path}`, reason: shown || 'it does not say why', ...facts });
  }

  #refused({ status, headers }: Response): ServerErrorFacts {
    const advice = adviceOn({ status, base: this.#base, hasKey: this.#apiKey !== '' });
    return { status, advice, transient: isOverloaded(status), retryAfterMs: retryAfter(headers) };
  }

  #silence(path: string): ServerError {
    return this.error(path, `no data for ${this.#timeoutMs} ms (timeoutMs)`, { transient: this.#hasOthers });
  }

  /** A server may repeat what it was sent. */
  #withoutKey(text: string): string {
    const key = this.#apiKey;
    if (key === '') return text;
    const spellings = [key, encodeURIComponent(key), JSON.stringify(key).slice(1, -1)];
    return spellings.reduce((shown, spelling) => shown.replaceAll(spelling, '[apiKey]'), text);
  }
}

/** Browsers only report that there was one. */
function isRedirect({ type, status }: Response): boolean {
  return type === 'opaqueredirect' || (status >= 300 && status < 400);
}

function targetOf({ url, headers }: Response): string {
  const location = headers.get('location') ?? '';
  const base = URL.canParse(url) ? url : undefined;
  return URL.canParse(location, base) ? ` to ${new URL(location, base).origin}` : '';
}
