/** Options of servers and their chats from outside the type checker. */
import { UnsupportedOptionError } from '../../../errors.ts';
import {
  abortSignal,
  anyText,
  callback,
  type OptionRule,
  type OptionRules,
  oneOf,
  readOptions,
  requireOption,
  truth,
  wholeNumberFrom,
} from '../../../option-rules.ts';
import { checkChatOptions, modules } from '../chat/check-chat-options.ts';
import type { ServerOptions } from './connect-server.ts';
import type { ServerChatOptions } from './server-chat.ts';

const url: OptionRule = {
  wanted: 'an http or https address without user and password (the key goes into apiKey)',
  allows: (value) => typeof value === 'string' && isPlainAddress(value),
};

const kinds = oneOf('llama-server', 'vllm', 'sglang');

const rules: OptionRules<ServerOptions> = {
  kind: kinds,
  url,
  model: anyText,
  apiKey: anyText,
  chatTemplate: anyText,
  bosToken: anyText,
  eosToken: anyText,
  contextSize: wholeNumberFrom(1, Number.MAX_SAFE_INTEGER),
  modules,
  requireTools: truth,
  signal: abortSignal,
  fetch: callback,
};

/** Throws `UnsupportedOptionError` for the first option that is not as its type says. */
export function checkServerOptions(given: ServerOptions): ServerOptions {
  const options = readOptions(given, rules);
  requireOption('kind', options.kind, kinds);
  requireOption('url', options.url, url);
  return options;
}

/** The same for a chat. */
export function checkServerChatOptions(given: ServerChatOptions): ServerChatOptions {
  const options = checkChatOptions(given);
  if (options.injectForcedText !== undefined) {
    const reason = 'a server writes all of its text itself; leave it out';
    throw new UnsupportedOptionError({ option: 'injectForcedText', reason });
  }
  return options;
}

function isPlainAddress(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}
