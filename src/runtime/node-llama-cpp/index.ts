/** Chatting with models in this process, through node-llama-cpp. */

export type { LikelyToken, TokenLogprob, Usage } from '../../parser/events.ts';
export {
  type CallContext,
  type ChatEvent,
  defineTool,
  type ToolCallOf,
  type ToolChoiceOf,
  type ToolInput,
  type ToolList,
} from '../../tools/tools.ts';
export type { AnswerOf, PartialAnswer } from '../chat/answer.ts';
export type {
  ChatOptions,
  DryOptions,
  LogitBias,
  SamplingOptions,
  XtcOptions,
} from '../chat/chat-options.ts';
export type { ChatStream } from '../chat/chat-stream.ts';
export type { LearnedTemplate, ModuleRegistry } from '../chat/learned-template.ts';
export type { Executor, ToolFailure, ToolResult, ToolResultOf } from '../chat/tool-loop/executor.ts';
export {
  type RunFinish,
  runTools,
  type StepStart,
  type ToolCaller,
  type ToolRun,
  type ToolRunEvent,
} from '../chat/tool-loop/run-tools.ts';
export type { RunToolsOptions } from '../chat/tool-loop/run-tools-options.ts';
export { type ChatModel, type ChatPreview, loadModel } from './load-model.ts';
export type { GpuBackend, LoadModelOptions, LoraAdapter, PrepareOptions } from './load-model-options.ts';
export type { SavedState, StateOptions } from './states/save-state.ts';
