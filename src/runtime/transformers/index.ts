/** Chatting with models that transformers.js evaluates, in Node or in a page. */

export type { LikelyToken, TokenLogprob } from '../../parser/events.ts';
export type { ChatOptions, PrepareOptions } from '../chat/chat-options.ts';
export * from '../chat/index.ts';
export { runTools, type ToolCaller } from '../chat/tool-loop/run-tools.ts';
export type { RunToolsOptions } from '../chat/tool-loop/run-tools-options.ts';
export type { CompletionOptions } from '../engine/completion-options.ts';
export type { ChatPreview, EngineModel } from '../engine/engine-model.ts';
export { loadModel } from './load-model.ts';
export type { LoadModelOptions } from './load-model-options.ts';
export type { LoadedPair, TransformersModule } from './package.ts';
