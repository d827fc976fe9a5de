/**
 * Requests to the Hub: the token is sent only to the Hub's origin, and every refusal is a typed error.
 *
 * `@huggingface/hub` makes the API calls, with the `fetch` of this file and without its own `accessToken`: it requires
 * tokens that begin with `hf_`, leaves redirects to the platform, and discards the header `X-Error-Code`, which
 * distinguishes a gated model from a missing one.
 */
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MissingPackageError, UnsupportedOptionError } from '../format/errors.ts';
import { readBody } from '../format/limited-body.ts';
import { abortSignal, callback, type OptionRules, orNull, string } from '../format/option-rules.ts';
import { retryAfter } from '../format/retry-after.ts';
import {
  GatedModelError,
  HubOfflineError,
  HubUnauthorizedError,
  HubUnavailableError,
  LicenceNotAcceptedError,
  ModelNotFoundError,
  RateLimitedError,
  RevisionNotFoundError,
  UnsafeRedirectError,
} from './errors.ts';
import { userCache } from './local-file.ts';

/** The Hub's address, and credentials. */
export interface HubOptions {
  /** Default: `HF_ENDPOINT`, otherwise the public Hub. */
  readonly endpoint?: string;
  /** Default: `HF_TOKEN`, otherwise what `hf auth login` stored, otherwise none. `null` sends none. */
  readonly token?: string | null;
  /**
   * Default: the platform's, through the proxy in `HTTPS_PROXY`, `HTTP_PROXY` or `ALL_PROXY`, except for `NO_PROXY`.
   */
  readonly fetch?: typeof fetch;
  /** Aborts all requests. */
  readonly signal?: AbortSignal;
}

/** Rules for the options of every function that uses the Hub. */
export const hubRules: OptionRules<HubOptions> = {
  endpoint: string,
  token: orNull(string),
  fetch: callback,
  signal: abortSignal,
};

/** The subject of a request, for errors. */
interface Subject {
  readonly model: string;
  readonly revision: string | null;
}

/** A client of the Hub. */
export interface Hub {
  /** Without a trailing slash. */
  readonly endpoint: string;
  readonly hasToken: boolean;
  /** Web page of a model, for people. */
  page(model: string): string;
  /** `fetch` for API calls about `subject`: metadata only comes from the Hub's own host. */
  apiFetch(subject: Subject): typeof fetch;
  /** `fetch` for small parts of files of `subject`: like `fileFetch`, but with retries and a time limit. */
  peekFetch(subject: Subject): typeof fetch;
  /** `fetch` for files of `subject`: follows redirects to other hosts, without the token. */
  fileFetch(subject: Subject): typeof fetch;
}

const publicHub = 'https://huggingface.co';
const maxRedirects = 5;
const answerAttempts = 3;
/** For a whole answer including its body; answers are small. */
const answerTimeoutMs = 60_000;

/** Maximum bytes of all answers about one model, decompressed: 50,000 files take 25 MB. */
const answerBudget = 64_000_000;
/** Pages of 1,000 files; an endless listing may consist of empty pages. */
const maxAnswers = 200;

/** Creates a client for `options.endpoint`. Throws `HubUnavailableError` if that is not an address. */
export function createHub(options: HubOptions = {}): Hub {
  const endpoint = (options.endpoint ?? (process.env.HF_ENDPOINT || publicHub)).replace(/(?<!\/)\/+$/, '');
  const token = options.token === undefined ? findAccessToken() : options.token;
  if (!URL.canParse(endpoint) || !/^https?:/.test(endpoint)) {
    throw new HubUnavailableError({ host: endpoint, reason: 'HF_ENDPOINT is not an http address' });
  }
  const { origin, username, password } = new URL(endpoint);
  if (username !== '' || password !== '') {
    throw new HubUnavailableError({
      host: new URL(endpoint).host,
      reason: 'its address must hold no password',
    });
  }
  if (token !== null && !/^[\x21-\x7e]+$/.test(token)) {
    const reason = 'must be one word of printable ASCII characters, and this one is not';
    throw new UnsupportedOptionError({ option: 'token', reason });
  }
  const request = isOffline() ? refuseOffline : (options.fetch ?? environmentFetch);
  const follow = followRedirects({ origin, token, fetch: request });
  const page = (model: string): string => `${endpoint}/${model}`;
  const hub = { endpoint, hasToken: token !== null, page };
  const patient = (subject: Subject, allowed: AllowedOrigin): typeof fetch => {
    return async (input, init) => {
      const response = await retryUnavailable(options.signal, () => {
        const signal = eitherSignal(AbortSignal.timeout(answerTimeoutMs), options.signal);
        return follow(addressOf(input), { ...init, signal }, allowed);
      });
      return response.ok ? response : await refuse(response, subject, hub);
    };
  };
  return {
    ...hub,
    apiFetch: (subject) => withinBudget(patient(subject, 'same-origin'), new URL(endpoint).host),
    peekFetch: (subject) => patient(subject, 'any-origin'),
    fileFetch: (subject) => async (input, init) => {
      const signal = init?.signal ?? options.signal ?? null;
      const response = await follow(addressOf(input), { ...init, signal }, 'any-origin');
      return response.ok ? response : await refuse(response, subject, hub);
    },
  };
}

/** Reads answers completely, within a budget, because the parsers have no limit. */
function withinBudget(request: typeof fetch, host: string): typeof fetch {
  let bytesLeft = answerBudget;
  let answersLeft = maxAnswers;
  return async (input, init) => {
    if (answersLeft-- <= 0) throw new HubUnavailableError({ host, reason: 'sends pages without end' });
    const response = await request(input, init);
    const bytes = await readBody(response, bytesLeft).catch((cause: unknown) => {
      throw new HubUnavailableError({
        host,
        reason: 'breaks off its answer, or does not end it in time',
        cause,
      });
    });
    if (bytes === null) {
      throw new HubUnavailableError({ host, reason: `sends more than ${answerBudget} bytes about a model` });
    }
    bytesLeft -= bytes.length;
    const { status, headers } = response;
    return new Response(bytes, { status, headers });
  };
}

/** As in huggingface_hub. */
function isOffline(): boolean {
  return /^(?:1|on|yes|true)$/i.test(process.env.HF_HUB_OFFLINE || process.env.TRANSFORMERS_OFFLINE || '');
}

const refuseOffline: typeof fetch = async (input) => {
  throw new HubOfflineError({ host: addressOf(input).host });
};

function eitherSignal(timeout: AbortSignal, signal: AbortSignal | undefined): AbortSignal {
  return signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
}

function addressOf(input: string | URL | Request): URL {
  return new URL(input instanceof Request ? input.url : input);
}

type AllowedOrigin = 'same-origin' | 'any-origin';
type Follow = (url: URL, init: RequestInit, allowed: AllowedOrigin) => Promise<Response>;

/** A `fetch` that follows redirects itself, and decides at each step whether to send the token. */
function followRedirects(hub: { origin: string; token: string | null; fetch: typeof fetch }): Follow {
  return async (start, init, allowed) => {
    let url = start;
    for (let step = 0; step <= maxRedirects; step++) {
      if (allowed === 'same-origin' && url.origin !== hub.origin) refuseRedirect(start, url);
      const headers = new Headers(init.headers);
      headers.delete('authorization');
      if (hub.token !== null && url.origin === hub.origin)
        headers.set('authorization', `Bearer ${hub.token}`);
      const response = await reach(hub.fetch, url, { ...init, headers, redirect: 'manual' });
      const location = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || location === null) return response;
      await response.body?.cancel();
      url = nextAddress(url, location);
    }
    throw new HubUnavailableError({ host: start.host, reason: 'redirects without end' });
  };
}

function nextAddress(from: URL, location: string): URL {
  if (!URL.canParse(location, from.href)) {
    throw new HubUnavailableError({ host: from.host, reason: 'redirects to no address' });
  }
  const to = new URL(location, from);
  const kept = to.protocol === 'https:' || (to.protocol === 'http:' && from.protocol === 'http:');
  if (kept) return to;
  throw new UnsafeRedirectError({
    from: from.host,
    to: `${to.protocol}//${to.host}`,
    reason: 'the connection would not be protected',
  });
}

function refuseRedirect(from: URL, to: URL): never {
  throw new UnsafeRedirectError({
    from: from.host,
    to: to.host,
    reason: 'what the Hub says about a model must come from the Hub',
  });
}

async function reach(request: typeof fetch, url: URL, init: RequestInit): Promise<Response> {
  try {
    return await request(url, init);
  } catch (cause) {
    if (cause instanceof HubOfflineError) throw cause;
    const timedOut = cause instanceof Error && cause.name === 'TimeoutError';
    const reason = timedOut ? 'does not answer in time' : 'cannot be reached';
    throw new HubUnavailableError({ host: url.host, reason, cause });
  }
}

/** Retries if the Hub is temporarily unavailable; returns any other answer. */
async function retryUnavailable(
  signal: AbortSignal | undefined,
  request: () => Promise<Response>,
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted();
    const response = await request().catch((error: unknown) => {
      if (attempt < answerAttempts && error instanceof HubUnavailableError) return null;
      throw error;
    });
    if (response !== null && (response.status < 500 || attempt >= answerAttempts)) return response;
    await response?.body?.cancel();
    await wait(200 * attempt, undefined, signal ? { signal } : {});
  }
}

type HubFacts = Pick<Hub, 'hasToken' | 'page'>;

/** Throws the typed error for a failed request. */
async function refuse(response: Response, subject: Subject, hub: HubFacts): Promise<never> {
  await response.body?.cancel();
  const { model } = subject;
  const code = response.headers.get('x-error-code') ?? '';
  const { status } = response;
  const host = hostOf(response.url, hub);
  if (host !== hostOf('', hub))
    throw new HubUnavailableError({ host, reason: `answers with status ${status}` });
  if (status === 429) throw new RateLimitedError({ waitSeconds: waitOf(response.headers) });
  if (code === 'RevisionNotFound') {
    throw new RevisionNotFoundError({ model, revision: subject.revision ?? 'main' });
  }
  if ((status === 401 || status === 403) && code === 'GatedRepo') {
    const facts = { model, page: hub.page(model) };
    throw hub.hasToken ? new LicenceNotAcceptedError(facts) : new GatedModelError(facts);
  }
  if ((status === 401 || status === 403) && hub.hasToken) throw new HubUnauthorizedError({ model, status });
  if (status === 401 || status === 403 || status === 404) {
    throw new ModelNotFoundError({ model, hasToken: hub.hasToken });
  }
  throw new HubUnavailableError({ host, reason: `answers with status ${status}` });
}

function hostOf(url: string, hub: HubFacts): string {
  return new URL(URL.canParse(url) ? url : hub.page('')).host;
}

/** `Retry-After` in seconds or as a date, otherwise the reset time of the Hub's `RateLimit` header. */
function waitOf(headers: Headers): number | null {
  const after = retryAfter(headers);
  if (after !== null) return Math.ceil(after / 1000);
  const reset = /\bt=(\d{1,6})/.exec(headers.get('ratelimit') ?? '');
  return reset === null ? null : Number(reset[1]);
}

/**
 * The user's access token, where Hugging Face's own tools look for it: `HF_TOKEN`, otherwise what `hf auth login` stored: the file named by `HF_TOKEN_PATH`, `$HF_HOME/token`, or
 * `~/.cache/huggingface/token`. `null` if there is none.
 */
export function findAccessToken(environment: NodeJS.ProcessEnv = process.env): string | null {
  return environment.HF_TOKEN?.trim() || storedToken(environment);
}

function storedToken(environment: NodeJS.ProcessEnv): string | null {
  const home = environment.HF_HOME || path.join(userCache(environment), 'huggingface');
  try {
    return fs.readFileSync(environment.HF_TOKEN_PATH || path.join(home, 'token'), 'utf8').trim() || null;
  } catch {
    // Nobody is logged in on this machine, or the file is not readable: no token either way.
    return null;
  }
}

/**
 * `fetch` through the proxy in the environment, as in curl, Python and huggingface_hub; the platform's if there is none.
 * Before Node 24 that does not read `HTTPS_PROXY` itself.
 */
const environmentFetch: typeof fetch = async (input, init) => {
  const proxies = proxiesOf(process.env);
  if (proxies === null) return fetch(input, init);
  proxied ??= proxiedFetch(proxies);
  return (await proxied)(input, init);
};

let proxied: Promise<typeof fetch> | null = null;

/** The proxies for both protocols; `null` if there is none. Lower-case names take precedence, as in curl. */
export function proxiesOf(environment: NodeJS.ProcessEnv): Proxies | null {
  const named = (name: string): string => environment[name] || environment[name.toUpperCase()] || '';
  const httpProxy = named('http_proxy') || named('all_proxy');
  const httpsProxy = named('https_proxy') || named('all_proxy');
  return httpProxy === '' && httpsProxy === '' ? null : { httpProxy, httpsProxy, noProxy: named('no_proxy') };
}

/** Addresses of proxies; empty for none. */
interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/** undici's own `fetch` with its agent: the platform's only accepts agents of the same version. */
async function proxiedFetch(proxies: Proxies): Promise<typeof fetch> {
  const { EnvHttpProxyAgent, fetch: request } = await import('undici').catch((cause: unknown) => {
    throw new MissingPackageError({ packageName: 'undici', neededFor: 'a proxy (HTTPS_PROXY)', cause });
  });
  const dispatcher = new EnvHttpProxyAgent(proxies);
  const through = (input: string | URL, init: object): unknown => request(input, { ...init, dispatcher });
  return (input, init) => {
    const address = input instanceof Request ? input.url : input;
    // Both implement the same standard with different declarations.
    return through(address, init ?? {}) as Promise<Response>;
  };
}
