/** Chatting with models in this process, through node-llama-cpp. */

export type { LikelyToken, TokenLogprob } from '../../parser/events.ts';
export type { ChatOptions, PrepareOptions } from '../chat/chat-options.ts';
export * from '../chat/index.ts';
export type { Embeddings, Ranking, TextOptions } from '../chat/search-answers.ts';
export type { ToolCaller } from '../chat/tool-loop/run-events.ts';
export { runTools } from '../chat/tool-loop/run-tools.ts';
export type { RunToolsOptions } from '../chat/tool-loop/run-tools-options.ts';
export type { CompletionOptions } from '../engine/completion-options.ts';
export type { ChatPreview } from '../engine/engine-model.ts';
export type { ChatModel, SavedState, StateOptions } from './chat-model.ts';
export { loadModel } from './load-model.ts';
export type { GpuBackend, LoadModelOptions, LoraAdapter } from './load-model-options.ts';
export {
  type EmbeddingModel,
  type EmbeddingModelOptions,
  loadEmbeddingModel,
} from './search/load-embedding-model.ts';
