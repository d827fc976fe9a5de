/** Models over HTTP: a function from requests to responses, for any server with the platform's types. */
import { randomUUID } from 'node:crypto';
import { serveStatic } from '@hono/node-server/serve-static';
import { Hono } from 'hono';
import { cors } from 'hono/cors';
import { secureHeaders } from 'hono/secure-headers';
import { follow, untilAborted } from '../format/on-abort.ts';
import type { Filled } from '../format/option-rules.ts';
import { allowedOrigin, KeyCheck, ownHeaders, requireHost } from './access.ts';
import { pathOf, withShortForm } from './addresses.ts';
import { Admission } from './admission.ts';
import { chatCompletions } from './chat-completions/endpoint.ts';
import { completions, nativeCompletions } from './completions/endpoints.ts';
import type { Endpoint } from './endpoint.ts';
import { clientLeft, concernsOperator, failureOf, forOperator, RequestError } from './errors.ts';
import { type HandlerOptions, readHandlerOptions } from './handler-options.ts';
import { ItemMemory } from './item-memory.ts';
import { messages } from './messages/endpoint.ts';
import { ServerMetrics } from './metrics.ts';
import { describeModel, listModels, propertiesOf } from './model-list.ts';
import { ModelPool } from './model-pool.ts';
import { ollamaChat, ollamaGenerate } from './ollama/endpoints.ts';
import { listOpen, listTags, ollamaVersion, showModel } from './ollama/probes.ts';
import { openApiDocument } from './openapi/document.ts';
import { answerQuestion, promptQuestions } from './prompt-question.ts';
import { isLarge, readJsonBody } from './read-body.ts';
import { RequestWatch } from './request-record.ts';
import { type Asking, failureResponse, RequestRun, type ServerState } from './request-run.ts';
import { responses } from './responses/endpoint.ts';
import type { ModelEntry, ServableModel } from './servable-model.ts';
import { answerText } from './texts/text-question.ts';
import { textQuestions } from './texts/text-questions.ts';

/** Answers requests. */
export interface Handler {
  (request: Request): Promise<Response>;
  /**
   * Closes: new requests are rejected; running ones are finished, or aborted when `signal` is. Closes the models that
   * the handler opened itself.
   */
  close(signal?: AbortSignal): Promise<void>;
}

/** The models to serve. */
export type Servable = ServableModel | readonly (ServableModel | ModelEntry)[];

/** The APIs that generate. */
const endpoints: readonly Endpoint[] = [
  chatCompletions,
  responses,
  messages,
  ollamaChat,
  ollamaGenerate,
  ...nativeCompletions,
  completions,
];

/**
 * A handler that serves one model, or several by name, with other vendors' APIs. Runs wherever requests and responses
 * have the platform's types and Node's `crypto` exists. Models that were passed open remain the caller's. Throws
 * `UnsupportedOptionError` for an invalid option.
 */
export function createHandler(models: Servable, given: HandlerOptions = {}): Handler {
  const server = new Server(Array.isArray(models) ? models : [models], readHandlerOptions(given));
  const handler = (request: Request): Promise<Response> => server.answer(request);
  return Object.assign(handler, { close: (signal?: AbortSignal) => server.close(signal) });
}

class Server {
  readonly #app = new Hono({ getPath: pathOf });
  readonly #keys: KeyCheck;
  readonly #state: ServerState;
  readonly #metrics: ServerMetrics;
  readonly #giveUp = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #isClosing = false;

  constructor(models: readonly (ServableModel | ModelEntry)[], options: Filled<HandlerOptions>) {
    this.#keys = new KeyCheck(options.apiKeys);
    const admission = new Admission(options);
    const pool = new ModelPool(models, options);
    this.#metrics = new ServerMetrics(admission, () => pool.list());
    this.#state = {
      options,
      pool,
      admission,
      questions: new Admission(options),
      large: new Admission({ ...options, concurrency: 1 }),
      items: new ItemMemory(),
      closing: this.#giveUp.signal,
      report: (record) => {
        this.#metrics.count(record);
        options.onRequest(record);
      },
    };
    this.#addRoutes();
  }

  async answer(request: Request): Promise<Response> {
    return this.#app.fetch(request);
  }

  async close(signal?: AbortSignal): Promise<void> {
    this.#isClosing = true;
    const giveUp = (): void => this.#giveUp.abort(new Error('the server is shutting down'));
    if (signal?.aborted === true) giveUp();
    signal?.addEventListener('abort', giveUp, { once: true });
    try {
      while (this.#running.size > 0) await Promise.all(this.#running);
      await this.#state.pool.close(signal);
    } finally {
      signal?.removeEventListener('abort', giveUp);
    }
  }

  #addRoutes(): void {
    const { options, pool } = this.#state;
    if (options.corsOrigins.length > 0) this.#allowOrigins(options.corsOrigins);
    this.#app.use(async (context, next) => {
      requireHost(context.req.raw, options.hosts);
      await next();
    });
    for (const path of ['/health', '/v1/health']) this.#app.get(path, () => healthOf(pool));
    this.#app.on('GET', withShortForm('/v1/models'), async ({ req }) => {
      this.#keys.caller(req.raw);
      return Response.json(await listModels(pool, req.raw));
    });
    this.#app.on('GET', withShortForm('/v1/models/:name{.+}'), async ({ req }) => {
      this.#keys.caller(req.raw);
      return Response.json(await describeModel(pool, req.param('name') ?? '', req.raw));
    });
    this.#addProbes(pool);
    this.#addTextProbes(pool);
    this.#app.get('/openapi.json', ({ req }) => {
      this.#keys.caller(req.raw);
      return Response.json(openApiDocument(endpoints));
    });
    this.#app.get('/metrics', ({ req }) => {
      this.#keys.caller(req.raw);
      return this.#metrics.response();
    });
    if (options.page === '') this.#app.get('/', () => new Response('Idiolect is running\n'));
    else this.#servePage(options.page);
    for (const question of promptQuestions)
      this.#app.on('POST', withShortForm(question.path), ({ req }) =>
        this.#question(req.raw, question.path, question.endpoint, (asking) =>
          answerQuestion(question, req.raw, asking, this.#state),
        ),
      );
    for (const endpoint of endpoints)
      this.#app.on('POST', withShortForm(endpoint.path), ({ req }) => this.#ask(endpoint, req.raw));
    this.#app.notFound(({ req }) => {
      if (req.method === 'OPTIONS') throw refuseOrigin();
      // Without a key, the existing routes are not revealed.
      this.#keys.caller(req.raw);
      throw notFound(req.raw);
    });
    this.#app.onError((error, { req }) => this.#refuse(error, apiOf(req.raw), otherPath));
  }

  /** What Ollama's clients ask before they ask a model. */
  #addProbes(pool: ModelPool): void {
    this.#app.get('/api/version', () => Response.json({ version: ollamaVersion }));
    this.#app.get('/api/tags', async ({ req }) => {
      this.#keys.caller(req.raw);
      return Response.json(await listTags(pool));
    });
    this.#app.get('/api/ps', async ({ req }) => {
      this.#keys.caller(req.raw);
      return Response.json(await listOpen(pool));
    });
    this.#app.post('/api/show', ({ req }) =>
      this.#question(req.raw, '/api/show', ollamaChat, (asking) => this.#show(req.raw, asking)),
    );
  }

  /** One model, as Ollama shows it. */
  async #show(request: Request, { caller, signal }: Asking): Promise<Response> {
    const { options, pool, large } = this.#state;
    const leave = isLarge(request) ? await large.enter(caller, signal) : () => undefined;
    try {
      const body = await untilAborted(readJsonBody(request, options, large), signal);
      return Response.json(await showModel(pool, body));
    } finally {
      leave();
    }
  }

  /** What clients ask about texts and about llama-server's model. */
  #addTextProbes(pool: ModelPool): void {
    const { options } = this.#state;
    this.#app.get('/props', async ({ req }) => {
      this.#keys.caller(req.raw);
      const [first] = await pool.learned();
      return first === undefined ? Response.json({}) : Response.json(propertiesOf(first, options));
    });
    for (const question of textQuestions)
      this.#app.on('POST', withShortForm(question.path), ({ req }) =>
        this.#question(req.raw, question.path, apiOf(req.raw), (asking) =>
          answerText(question, req.raw, asking, this.#state),
        ),
      );
  }

  #allowOrigins(allowed: readonly string[]): void {
    const answer = cors({
      origin: (origin) => allowedOrigin(origin, allowed),
      exposeHeaders: [...ownHeaders],
    });
    this.#app.use(async (context, next) => {
      const preflight = await answer(context, next);
      if (!(preflight instanceof Response)) return undefined;
      if (!preflight.headers.has('access-control-allow-origin')) throw refuseOrigin();
      // 200, because not every client accepts an empty success.
      return new Response(null, { headers: preflight.headers });
    });
  }

  /** Static files contain nothing confidential, so they need no key. */
  #servePage(root: string): void {
    const secure = secureHeaders({ contentSecurityPolicy: { frameAncestors: ["'none'"] } });
    this.#app.get('/', secure, serveStatic({ root, path: 'index.html' }));
    this.#app.get('/assets/*', secure, serveStatic({ root }));
  }

  /** Answers a question that generates nothing; `path`: of its route; `api`: whose errors its client reads. */
  async #question(
    request: Request,
    path: string,
    api: Pick<Endpoint, 'errorBody'>,
    answer: (asking: Asking) => Promise<Response>,
  ): Promise<Response> {
    const answered = this.#tryQuestion(request, path, api, answer);
    this.#running.add(answered);
    void answered.then(() => this.#running.delete(answered));
    return answered;
  }

  async #tryQuestion(
    request: Request,
    path: string,
    api: Pick<Endpoint, 'errorBody'>,
    answer: (asking: Asking) => Promise<Response>,
  ): Promise<Response> {
    const stopping = new AbortController();
    const { signal } = stopping;
    const ends = [request.signal, this.#giveUp.signal].map((each) => follow(stopping, each));
    try {
      const caller = this.#keys.caller(request);
      if (this.#isClosing) throw shuttingDown();
      return await answer({ caller, signal });
    } catch (error) {
      // If the client has left, this is no error of the server.
      if (request.signal.aborted) return new Response(null, { status: clientLeft.status });
      return this.#refuse(this.#giveUp.signal.aborted ? shuttingDown() : error, api, path);
    } finally {
      for (const end of ends) end();
    }
  }

  async #ask(endpoint: Endpoint, request: Request): Promise<Response> {
    try {
      const caller = this.#keys.caller(request);
      if (this.#isClosing) throw shuttingDown();
      const run = new RequestRun(this.#state, endpoint, caller);
      this.#running.add(run.over);
      void run.over.then(() => this.#running.delete(run.over));
      return await run.answer(request);
    } catch (error) {
      return this.#refuse(error, endpoint, endpoint.path);
    }
  }

  /** Also told, so that an operator sees who is kept out. */
  #refuse(error: unknown, endpoint: Pick<Endpoint, 'errorBody'>, path: string): Response {
    const failure = failureOf(error);
    if (concernsOperator(failure) && !(error instanceof RequestError))
      this.#state.options.onError(forOperator(error));
    const id = randomUUID().replaceAll('-', '');
    new RequestWatch(id, path, this.#state.report).end(failure.status, failure.code);
    return failureResponse(failure, endpoint.errorBody(failure, id), id);
  }
}

/** Stands for the path of a request that asked no model, which a client may have made up. */
const otherPath = 'other';

/** The API whose error format is used if no API was addressed: Anthropic's clients have a header. */
function apiOf(request: Request): Endpoint {
  const pathname = pathOf(request);
  const asked = endpoints.find(({ path }) => withShortForm(path).some((each) => pathname.startsWith(each)));
  if (asked !== undefined) return asked;
  if (pathname.startsWith('/api/')) return ollamaChat;
  return request.headers.has('anthropic-version') ? messages : chatCompletions;
}

/** Not well while no server of a model answers; servers are told by number, not by address. */
function healthOf(pool: ModelPool): Response {
  const served = pool.list().flatMap(({ name, model }) => {
    const servers = model?.servers ?? [];
    const well = servers.filter(({ isWell }) => isWell).length;
    return servers.length === 0 ? [] : [{ model: name, servers: servers.length, well }];
  });
  if (served.length === 0) return Response.json({ status: 'ok' });
  const isWell = served.every(({ well }) => well > 0);
  const body = { status: isWell ? 'ok' : 'no server answers', upstreams: served };
  return Response.json(body, isWell ? {} : { status: 503, headers: { 'retry-after': '2' } });
}

function shuttingDown(): RequestError {
  const reason = 'the server is shutting down';
  return new RequestError({ status: 503, reasonCode: 'shutting_down', param: null, reason });
}

/** A page's browser asks this before the request itself, and shows the reason in its console. */
function refuseOrigin(): RequestError {
  const reason = 'pages of other origins may not call; allow them with corsOrigins (--cors)';
  return new RequestError({ status: 403, reasonCode: 'origin_not_allowed', param: null, reason });
}

function notFound({ method, url }: Request): RequestError {
  const { origin, pathname } = new URL(url);
  const paths = endpoints.map(({ path }) => path).join(', ');
  const where = `the base address is ${origin}/v1 for OpenAI's clients, and ${origin} for Anthropic's and Ollama's`;
  const reason = `there is no ${method} ${pathname}; ${where}; models are asked with POST ${paths}`;
  return new RequestError({ status: 404, reasonCode: 'not_found', param: null, reason });
}
