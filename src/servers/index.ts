/** Chatting with models on llama-server, vLLM and SGLang. Runs wherever there is `fetch`, including browsers. */

export type { ServerRequestOptions } from '../runtime/chat/chat-options.ts';
export * from '../runtime/chat/index.ts';
export {
  connectServer,
  type ServerChatPreview,
  type ServerModel,
  type ServerRunToolsOptions,
} from './connect-server.ts';
export type { ServerChatOptions, ServerHealth, ServerKind, ServerOptions } from './server-options.ts';
