/** `idiolect/serve`: models over HTTP, with the APIs of OpenAI and Anthropic. */
export { createHandler, type Handler, type Servable } from './handler.ts';
export type { ChatDefaults, HandlerOptions } from './handler-options.ts';
export type { RequestRecord } from './request-record.ts';
export type { ModelEntry, ServableModel } from './servable-model.ts';
export { type RunningServer, type ServeOptions, serve, type TlsIdentity } from './serve.ts';
