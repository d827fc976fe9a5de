/** One request to a model, from its body to the last byte of its response. */
import { randomUUID } from 'node:crypto';
import { writeExactJson } from '../format/exact-json.ts';
import { follow, untilAborted } from '../format/on-abort.ts';
import type { Filled } from '../format/option-rules.ts';
import { giveWay } from '../language/expression/steps.ts';
import type { ChatOptions } from '../runtime/chat/chat-options.ts';
import type { Admission } from './admission.ts';
import { uniqueCallId } from './call-id.ts';
import { showPictures } from './content/shown-pictures.ts';
import { begunTexts } from './continued-text.ts';
import type { BegunAnswer, Endpoint, ReadRequest } from './endpoint.ts';
import { clientLeft, concernsOperator, type Failure, failureOf, forOperator } from './errors.ts';
import { eventStream, type Frame, orTimeout, streamTypes } from './event-stream.ts';
import { namesOf } from './fields/known-fields.ts';
import type { HandlerOptions } from './handler-options.ts';
import type { ItemMemory } from './item-memory.ts';
import type { ModelPool } from './model-pool.ts';
import { type Body, isLarge, readJsonBody } from './read-body.ts';
import { type RequestRecord, RequestWatch } from './request-record.ts';
import { openStream, previewOf, shownEvents, shownMessage } from './shown-answer.ts';
import { wholeCalls } from './whole-calls.ts';

/** What all requests share. */
export interface ServerState {
  readonly options: Filled<HandlerOptions>;
  readonly pool: ModelPool;
  readonly admission: Admission;
  /** Of requests that only ask about a prompt: they do not wait for responses. */
  readonly questions: Admission;
  /** Of large bodies, from before they are read to when their prompt is made: one at a time. */
  readonly large: Admission;
  readonly items: ItemMemory;
  /** Aborted when the server gives up running requests. */
  readonly closing: AbortSignal;
  /** Called with the record of every finished request. */
  readonly report: (record: RequestRecord) => void;
}

/** Who asks a question that generates nothing. */
export interface Asking {
  /** Decides whose turn it uses. */
  readonly caller: string;
  /** Aborted when the client leaves, and when the server gives up. */
  readonly signal: AbortSignal;
}

/** Answers one request of an API; `caller` decides whose turn it uses. */
export class RequestRun {
  readonly #state: ServerState;
  readonly #endpoint: Endpoint;
  readonly #caller: string;
  readonly #id = randomUUID().replaceAll('-', '');
  /** Aborted when the client leaves, and when the server gives up. */
  readonly #stopping = new AbortController();
  #hasLeft = false;
  #isIn = false;
  /** Whether the model sees pictures. */
  #sees = false;
  #leaveLarge = (): void => undefined;
  readonly #watch: RequestWatch;
  readonly #release: (() => void)[] = [];
  #frames: AsyncGenerator<Frame, void> | null = null;
  #answer: BegunAnswer | null = null;
  #setOver = (): void => undefined;
  /** Resolves when all work for the request has ended. */
  readonly over: Promise<void>;

  constructor(state: ServerState, endpoint: Endpoint, caller: string) {
    this.over = new Promise((resolve) => {
      this.#setOver = resolve;
    });
    this.#state = state;
    this.#endpoint = endpoint;
    this.#caller = caller;
    this.#watch = new RequestWatch(this.#id, endpoint.path, state.report);
    this.#release.push(follow(this.#stopping, state.closing));
  }

  /** The response, also for errors. */
  async answer(request: Request): Promise<Response> {
    const leave = (): void => this.#leave(new Error('the client left'));
    request.signal.addEventListener('abort', leave, { once: true });
    try {
      if (isLarge(request)) await this.#enterLarge();
      const { read, body } = await this.#read(request);
      this.#watch.stream = read.stream;
      const opened = await this.#opened(read);
      if (opened !== null) return Response.json(opened, { headers: this.#headers(read) });
      if (read.stream) return await this.#stream(read, body);
      const whole = await this.#endpoint.complete(await this.#begin(read, body));
      this.#end(200);
      const headers = this.#headers(read);
      headers.set('content-type', 'application/json');
      return new Response(writeExactJson(whole), { headers });
    } catch (error) {
      const failure = this.#failure(error);
      this.#end(failure.status, failure.code);
      return failureResponse(failure, this.#endpoint.errorBody(failure, this.#id), this.#id);
    }
  }

  /** The request, and what its API knows of its body: the rest would take memory as long as the response. */
  async #read(request: Request): Promise<{ readonly read: ReadRequest; readonly body: Body }> {
    const { options, large } = this.#state;
    const body = await untilAborted(readJsonBody(request, options, large), this.#stopping.signal);
    await giveWay();
    const read = this.#endpoint.read(body, this.#state.items);
    await giveWay();
    const names = new Set(namesOf(this.#endpoint.fields));
    return { read, body: Object.fromEntries(Object.entries(body).filter(([name]) => names.has(name))) };
  }

  /** What waits for its turn is not read yet, so it takes no memory. */
  async #enterLarge(): Promise<void> {
    this.#leaveLarge = await this.#state.large.enter(this.#caller, this.#stopping.signal);
    this.#release.push(this.#leaveLarge);
    await this.#enter();
  }

  async #enter(): Promise<void> {
    if (this.#isIn) return;
    this.#release.push(await this.#state.admission.enter(this.#caller, this.#stopping.signal));
    this.#isIn = true;
  }

  /** The response of a request that only opens its model, or closes it; `null` for every other. */
  async #opened(read: ReadRequest): Promise<object | null> {
    const { pool } = this.#state;
    const opened = this.#endpoint.opened?.(read, pool.nameOf(read.model)) ?? null;
    if (opened === null) return null;
    this.#watch.model = pool.nameOf(read.model);
    if (read.keepAliveMs === 0) pool.retire(read.model);
    else (await pool.borrow(read.model, this.#stopping.signal)).release(read.keepAliveMs);
    this.#end(200);
    return opened;
  }

  /**
   * An error before the first frame has its own HTTP status, unless it takes so long that the client might time out.
   */
  async #stream(read: ReadRequest, body: Body): Promise<Response> {
    const frames = this.#readFrames(read, body);
    this.#frames = frames;
    const first = frames.next();
    await orTimeout(first, this.#state.options.keepAliveMs);
    const { framing = 'events' } = this.#endpoint;
    const headers = this.#headers(read);
    headers.set('content-type', streamTypes[framing]);
    headers.set('cache-control', 'no-cache');
    const stream = eventStream(this.#ended(first, frames), framing, this.#state.options, (reason) =>
      this.#leave(reason),
    );
    return new Response(stream, { headers });
  }

  async *#readFrames(read: ReadRequest, body: Body): AsyncGenerator<Frame, void> {
    yield* this.#endpoint.stream(await this.#begin(read, body));
  }

  /** The frames, and an error at the end if they fail. */
  async *#ended(
    first: Promise<IteratorResult<Frame, void>>,
    frames: AsyncGenerator<Frame, void>,
  ): AsyncGenerator<Frame, void> {
    let sent = 0;
    try {
      for (let next = await first; next.done !== true; next = await frames.next()) {
        sent += 1;
        yield next.value;
      }
      this.#end(200);
    } catch (error) {
      const failure = this.#failure(error);
      this.#end(failure.status, failure.code);
      if (failure.status === clientLeft.status) return;
      yield* this.#endpoint.errorFrames({ failure, requestId: this.#id, sent, answer: this.#answer });
    }
  }

  /** The response is no longer read: frees its sequence before the next token. */
  #leave(reason: Error): void {
    this.#hasLeft = true;
    this.#stopping.abort(reason);
    // Ends frames that nobody has begun to read, or that are no longer read.
    const ended = this.#frames?.return();
    void ended?.catch(() => undefined).then(() => this.#end(clientLeft.status, clientLeft.code));
  }

  /** Waits for a turn and for the model, and begins the response. */
  async #begin(request: ReadRequest, body: Body): Promise<BegunAnswer> {
    const { pool, options } = this.#state;
    const { signal } = this.#stopping;
    await this.#enter();
    const borrowed = await pool.borrow(request.model, signal);
    this.#release.push(() => borrowed.release(request.keepAliveMs));
    this.#watch.model = borrowed.name;
    const { model } = borrowed;
    this.#sees = model.vision === true;
    const messages = showPictures(request.chat.messages, request.pictures ?? [], this.#sees);
    const fixed = { messages, createCallId: uniqueCallId, signal };
    const { defaults, policy } = options;
    const chat: ChatOptions = { ...defaults, policy, ...request.chat, ...fixed };
    const stream = await openStream(model, request, chat);
    const shown = { ...request, begun: begunTexts(chat) };
    this.#answer = {
      request,
      body,
      id: this.#id,
      created: Math.floor(Date.now() / 1000),
      model: borrowed.name,
      chat,
      items: this.#state.items,
      events: shownEvents(wholeCalls(this.#watch.watch(stream)), shown),
      promptTokens: () => stream.promptTokens,
      prompt: async () => (await previewOf(model, chat))?.prompt ?? null,
      verbose: options.verbose,
      message: async () => shownMessage(await stream.message, shown),
    };
    return this.#answer;
  }

  /** As long as the model is not known, nobody can say that it sees pictures. */
  #headers({ ignored, pictures = [] }: ReadRequest): Headers {
    const headers = idHeaders(this.#id);
    const unseen = this.#sees ? [] : pictures.map(({ place }) => place);
    const names = [...ignored, ...unseen].slice(0, 20).map(headerText);
    if (names.length > 0) headers.set('idiolect-ignored', names.join(', '));
    return headers;
  }

  #failure(error: unknown): Failure {
    const failure = this.#failureOf(error);
    if (concernsOperator(failure)) this.#state.options.onError(forOperator(error));
    return failure;
  }

  /** An abort is reported with its reason. */
  #failureOf(error: unknown): Failure {
    const { closing } = this.#state;
    if (this.#hasLeft) return clientLeft;
    if (closing.aborted)
      return { status: 503, code: 'shutting_down', param: null, message: 'the server is shutting down' };
    return failureOf(error);
  }

  /** Ends the request; only the first call counts. Releases everything. */
  #end(status: number, code: string | null = null): void {
    for (const release of this.#release.splice(0)) release();
    this.#watch.end(status, code);
    this.#setOver();
  }
}

/** The id, under the names that the clients of OpenAI and of Anthropic read. */
function idHeaders(id: string): Headers {
  return new Headers({ 'x-request-id': id, 'request-id': id });
}

/** Characters of a name in a header. */
const nameLength = 60;

/** A name of the request's, of any length, without anything that a header may not contain. */
function headerText(name: string): string {
  const text = encodeURIComponent(name.slice(0, nameLength).toWellFormed());
  return text.replaceAll('%5B', '[').replaceAll('%5D', ']').slice(0, nameLength);
}

/** Seconds after which to retry what fails for the moment, if nobody says more. */
const soon = 2;

/** An error as an HTTP response. */
export function failureResponse({ status, retryAfter }: Failure, body: object, requestId: string): Response {
  const headers = idHeaders(requestId);
  const seconds = retryAfter ?? (status === 502 || status === 503 ? soon : undefined);
  if (seconds !== undefined) headers.set('retry-after', String(seconds));
  // 413, 408: the rest of the body is not read.
  if (status === 413 || status === 408) headers.set('connection', 'close');
  return Response.json(body, { status, headers });
}
