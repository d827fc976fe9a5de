/** How models are served. */
import {
  boolean,
  callback,
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

/** Options of a chat that requests need not say. */
export type ChatDefaults = SamplingOptions & Pick<ChatOptions, 'thinking' | 'thinkingBudget' | 'maxTokens'>;

/** Options of `createHandler`. */
export interface HandlerOptions {
  /** Keys, one of which every request has to bring, but those to `/health` and the page. Default: none is asked for. */
  readonly apiKeys?: readonly string[];
  /** Origins whose pages may call: `https://example.org`, `localhost` for those of this machine, `*` for all. Default: none. */
  readonly corsOrigins?: readonly string[];
  /** Names under which the server is reached; a request to another is refused. Default: any. */
  readonly hosts?: readonly string[];
  /** Bytes that a request may have. Default: 32 MiB. */
  readonly maxBodyBytes?: number;
  /** Milliseconds in which a request has to be here. Default: 30,000. */
  readonly bodyTimeoutMs?: number;
  /** Requests that models work on at the same time; further ones wait, in turns by key. Default: 8. */
  readonly concurrency?: number;
  /** Requests that may wait; further ones are refused with 429. Default: 100. */
  readonly queueLimit?: number;
  /** Milliseconds without an event after which a stream gets a comment, so that nobody gives it up. Default: 10,000. */
  readonly keepAliveMs?: number;
  /** Milliseconds after which a client that takes nothing of its stream has gone. Default: 120,000. */
  readonly stallMs?: number;
  /** Bytes that models of `ModelEntry` may take together; idle ones are closed for others. Default: no limit. */
  readonly memoryLimit?: number;
  /** Whether the first model answers under unknown names. Default: false; they get 404. */
  readonly anyModel?: boolean;
  /** The folder of a page that is served at `/`, as `idiolect serve --open` does it. Default: none. */
  readonly page?: string;
  /** What requests leave open. Default: a temperature of 0.7, the rest as a chat has it. */
  readonly defaults?: ChatDefaults;
  /** Of schemas that cannot be enforced in full: refused, or accepted and checked afterwards. Default: `strict`. */
  readonly policy?: 'strict' | 'degrade';
  /** Is told of every request once it is over; holds no contents. Default: none. */
  readonly onRequest?: (record: RequestRecord) => void;
  /** Is told of errors that are no fault of the request. Default: none. */
  readonly onError?: (error: unknown) => void;
}

const longestTimer = 2 ** 31 - 1;
const anything = Number.POSITIVE_INFINITY;

const rules: OptionRules<HandlerOptions> = {
  apiKeys: stringArray,
  corsOrigins: stringArray,
  hosts: stringArray,
  maxBodyBytes: integerFrom(1, anything),
  bodyTimeoutMs: integerFrom(1, longestTimer),
  concurrency: integerFrom(1, anything),
  queueLimit: integerFrom(0, anything),
  keepAliveMs: integerFrom(1, longestTimer),
  stallMs: integerFrom(1, longestTimer),
  memoryLimit: integerFrom(0, anything),
  anyModel: boolean,
  page: string,
  defaults: object,
  policy: oneOf('strict', 'degrade'),
  onRequest: callback,
  onError: callback,
};

/** The options with their defaults. Throws `UnsupportedOptionError`. */
export function readHandlerOptions(given: HandlerOptions): Required<HandlerOptions> {
  const options = readOptions(given, rules);
  return {
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
    anyModel: false,
    page: '',
    policy: 'strict',
    onRequest: () => undefined,
    onError: () => undefined,
    ...options,
    defaults: { temperature: 0.7, ...options.defaults },
  };
}
