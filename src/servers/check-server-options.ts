/** Validates options of servers and their chats, for callers without a type checker. */
import { UnsupportedOptionError } from '../format/errors.ts';
import {
  abortSignal,
  anyValue,
  boolean,
  callback,
  chatTemplate,
  integerFrom,
  maxTimer,
  type OptionRule,
  type OptionRules,
  oneOf,
  readOptions,
  refuseOptions,
  requireOption,
  string,
} from '../format/option-rules.ts';
import { checkServedChatOptions, modules } from '../runtime/chat/check-chat-options.ts';
import { toolFormat } from '../template/tool-format/tool-format-option.ts';
import type { ServerDialect } from './server-dialect.ts';
import type { ServerChatOptions, ServerOptions } from './server-options.ts';

const url: OptionRule = {
  expected:
    'an http or https address without a query (the key goes into apiKey), or an array of different ones',
  allows: (value) =>
    Array.isArray(value)
      ? value.length > 0 &&
        value.every(isPlainAddress) &&
        new Set(value.map(plainAddress)).size === value.length
      : isPlainAddress(value),
};

/** With growing pauses, this many take over an hour. */
const maxRetries = 400;

const kinds = oneOf('llama-server', 'vllm', 'sglang');

const rules: OptionRules<ServerOptions> = {
  kind: kinds,
  url,
  model: string,
  // Validated below, with errors that do not repeat it.
  apiKey: anyValue,
  chatTemplate,
  bosToken: string,
  eosToken: string,
  contextSize: integerFrom(1, Number.MAX_SAFE_INTEGER),
  modules,
  requireTools: boolean,
  toolFormat,
  vision: boolean,
  timeoutMs: integerFrom(1, maxTimer),
  retries: integerFrom(0, maxRetries),
  signal: abortSignal,
  fetch: callback,
};

/** Throws `UnsupportedOptionError` for the first invalid option. */
export function checkServerOptions(given: ServerOptions): ServerOptions {
  const options = readOptions(given, rules);
  requireOption('kind', options.kind, kinds);
  refuseSecrets(options);
  requireOption('url', options.url, url);
  return options;
}

/** Errors are logged, so they must not contain keys or passwords. */
function refuseSecrets({ url: address, apiKey }: ServerOptions): void {
  if ([address].flat().some(hasPassword)) {
    const reason = 'must not contain a user or a password; pass a key as apiKey';
    throw new UnsupportedOptionError({ option: 'url', reason });
  }
  if (apiKey !== undefined && !isHeaderText(apiKey)) {
    const reason = 'must be one line of printable ASCII characters';
    throw new UnsupportedOptionError({ option: 'apiKey', reason });
  }
}

/** Validates the options of a chat with a server of this dialect. */
export function checkServerChatOptions(given: ServerChatOptions, dialect: ServerDialect): ServerChatOptions {
  const options = checkServedChatOptions(given);
  refuseOptions(options, dialect.refused);
  if (dialect.biasById && options.logitBias?.some(([token]) => typeof token === 'string') === true) {
    const reason = 'this server accepts token ids only, no texts';
    throw new UnsupportedOptionError({ option: 'logitBias', reason });
  }
  if (options.contextOverflow === 'shift') {
    const reason = 'only models in this process drop messages; shorten the conversation';
    throw new UnsupportedOptionError({ option: 'contextOverflow', reason });
  }
  if (options.tellOverruled === true) {
    const reason = 'only models in this process draw tokens without their grammar; servers do not tell';
    throw new UnsupportedOptionError({ option: 'tellOverruled', reason });
  }
  if (options.speculate === true) {
    const reason = 'only models in this process speculate; servers have their own options for it';
    throw new UnsupportedOptionError({ option: 'speculate', reason });
  }
  if (options.injectForcedText !== undefined) {
    const reason = 'a server samples all text itself; leave it out';
    throw new UnsupportedOptionError({ option: 'injectForcedText', reason });
  }
  return options;
}

function plainAddress(text: string): string {
  return new URL(text).href.replace(/(?<!\/)\/+$/, '');
}

function isPlainAddress(text: unknown): boolean {
  if (typeof text !== 'string' || !URL.canParse(text)) return false;
  const { protocol, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && search === '' && hash === '';
}

function hasPassword(address: unknown): boolean {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  const { username, password } = new URL(address);
  return username !== '' || password !== '';
}

/** `fetch` trims white space around it, such as the end of a line. */
function isHeaderText(text: unknown): boolean {
  return typeof text === 'string' && /^[\x20-\x7e]*$/.test(text.trim());
}
