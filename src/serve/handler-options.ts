/** Options for serving models. */
import {
  boolean,
  callback,
  type Filled,
  integerFrom,
  type OptionRules,
  object,
  oneOf,
  readOptions,
  string,
  stringArray,
} from '../format/option-rules.ts';
import type { ChatOptions, SamplingOptions } from '../runtime/chat/chat-options.ts';
import type { RequestRecord } from './request-record.ts';

/** Options of a chat that may have defaults. */
export type ChatDefaults = SamplingOptions & Pick<ChatOptions, 'thinking' | 'thinkingBudget' | 'maxTokens'>;

/** Options of `createHandler`. */
export interface HandlerOptions {
  /** Accepted keys; every request needs one, except to `/health` and the page. Default: none, no key is needed. */
  readonly apiKeys?: readonly string[] | undefined;
  /** Origins whose pages may call: `https://example.org`, `localhost` for this machine, `*` for all. Default: none. */
  readonly corsOrigins?: readonly string[] | undefined;
  /** Host names that the server answers to; requests to others are rejected. Default: any. */
  readonly hosts?: readonly string[] | undefined;
  /** Maximum size of a request in bytes. Default: 32 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Milliseconds in which a request has to arrive. Default: 30,000. */
  readonly bodyTimeoutMs?: number | undefined;
  /** Requests processed at the same time; further ones wait, and API keys take turns. Default: 8. */
  readonly concurrency?: number | undefined;
  /** Requests that may wait; further ones get 429. Default: 100. */
  readonly queueLimit?: number | undefined;
  /** Milliseconds without an event after which a comment is sent, so that clients do not time out. Default: 10,000. */
  readonly keepAliveMs?: number | undefined;
  /** Milliseconds after which a client that reads nothing from its stream counts as gone. Default: 120,000. */
  readonly stallMs?: number | undefined;
  /** Total bytes that models of type `ModelEntry` may use; idle ones are closed to make room. Default: no limit. */
  readonly memoryLimit?: number | undefined;
  /** Milliseconds without a request after which a model of type `ModelEntry` is closed, until it is asked again. Default: never. */
  readonly modelIdleMs?: number | undefined;
  /** Whether the first model answers to unknown names. Default: false; they get 404. */
  readonly anyModel?: boolean | undefined;
  /** The folder of a page that is served at `/`, as `idiolect serve --open` does it. Default: none. */
  readonly page?: string | undefined;
  /**
   * Values for options that a request omits. Default: a temperature of 0.7, and 32,768 tokens at most, so that a value
   * that a model never closes ends; otherwise the defaults of a chat.
   */
  readonly defaults?: ChatDefaults | undefined;
  /**
   * Whether schemas that cannot be fully enforced are rejected, or accepted and checked afterwards. Default: `strict`.
   */
  readonly policy?: 'strict' | 'degrade' | undefined;
  /**
   * Whether whole answers of Chat Completions hold their prompt as `__verbose`, as those of llama-server do. Default: only
   * where a request says `verbose: true`.
   */
  readonly verbose?: boolean | undefined;
  /** Called when a request is finished, with figures but no contents. Default: none. */
  readonly onRequest?: ((record: RequestRecord) => void) | undefined;
  /** Called with errors that are not the request's fault. Default: none. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** The longest that a timer of the platform waits, in milliseconds. */
export const maxTimer = 2 ** 31 - 1;
const anything = Number.POSITIVE_INFINITY;

const rules: OptionRules<HandlerOptions> = {
  apiKeys: stringArray,
  corsOrigins: stringArray,
  hosts: stringArray,
  maxBodyBytes: integerFrom(1, anything),
  bodyTimeoutMs: integerFrom(1, maxTimer),
  concurrency: integerFrom(1, anything),
  queueLimit: integerFrom(0, anything),
  keepAliveMs: integerFrom(1, maxTimer),
  stallMs: integerFrom(1, maxTimer),
  memoryLimit: integerFrom(0, anything),
  modelIdleMs: integerFrom(0, maxTimer),
  anyModel: boolean,
  page: string,
  defaults: object,
  policy: oneOf('strict', 'degrade'),
  verbose: boolean,
  onRequest: callback,
  onError: callback,
};

/** The options with their defaults. Throws `UnsupportedOptionError`. */
export function readHandlerOptions(given: HandlerOptions): Filled<HandlerOptions> {
  const options = readOptions(given, rules);
  const filled = {
    apiKeys: [],
    corsOrigins: [],
    hosts: [],
    maxBodyBytes: 32 * 1024 ** 2,
    bodyTimeoutMs: 30_000,
    concurrency: 8,
    queueLimit: 100,
    keepAliveMs: 10_000,
    stallMs: 120_000,
    memoryLimit: anything,
    modelIdleMs: anything,
    anyModel: false,
    page: '',
    policy: 'strict',
    verbose: false,
    onRequest: () => undefined,
    onError: () => undefined,
    ...options,
    defaults: { temperature: 0.7, maxTokens: 32_768, ...options.defaults },
  };
  // `readOptions` has left out what is undefined.
  return filled as Filled<HandlerOptions>;
}
