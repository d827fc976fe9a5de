/** Chatting with models that transformers.js evaluates, in Node or in a page. */

export type { LikelyToken, TokenLogprob } from '../parser/events.ts';
export type { ChatOptions, PrepareOptions } from '../runtime/chat/chat-options.ts';
export * from '../runtime/chat/index.ts';
export type { ToolCaller } from '../runtime/chat/tool-loop/run-events.ts';
export { runTools } from '../runtime/chat/tool-loop/run-tools.ts';
export type { RunToolsOptions } from '../runtime/chat/tool-loop/run-tools-options.ts';
export type { CompletionOptions } from '../runtime/engine/completion-options.ts';
export type { ChatPreview, EngineModel } from '../runtime/engine/engine-model.ts';
export { loadModel } from './load-model.ts';
export type { LoadModelOptions } from './load-model-options.ts';
export type { LoadedPair, TransformersModule } from './package.ts';
