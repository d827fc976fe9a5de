/** Chatting with models in this process, through node-llama-cpp. */
export {
  type CallContext,
  type ChatEvent,
  defineTool,
  type ToolCallOf,
  type ToolInput,
  type ToolList,
} from '../../tools/tools.ts';
export type { ChatOptions, SamplingOptions } from '../chat/chat-options.ts';
export type { ChatStream } from '../chat/chat-stream.ts';
export type { Executor } from '../chat/execute-call.ts';
export type { LearnedTemplate, ModuleRegistry } from '../chat/learned-template.ts';
export {
  type RunFinish,
  type RunToolsOptions,
  runTools,
  type StepStart,
  type ToolCaller,
  type ToolFailure,
  type ToolResult,
  type ToolRun,
  type ToolRunEvent,
} from '../chat/run-tools.ts';
export { type ChatModel, type ChatPreview, type LoadModelOptions, loadModel } from './load-model.ts';
export type { PrepareOptions } from './prepare.ts';
