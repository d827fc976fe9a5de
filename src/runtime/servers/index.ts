/** Chatting with models on llama-server, vLLM and SGLang. Runs wherever there is `fetch`, including browsers. */

export type { Usage } from '../../parser/events.ts';
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
  DryOptions,
  LogitBias,
  SamplingOptions,
  ServerRequestOptions,
  XtcOptions,
} from '../chat/chat-options.ts';
export type { ChatStream } from '../chat/chat-stream.ts';
export type { LearnedTemplate, ModuleRegistry } from '../chat/learned-template.ts';
export type { Executor, ToolFailure, ToolResult, ToolResultOf } from '../chat/tool-loop/executor.ts';
export type {
  RunFinish,
  StepStart,
  ToolRun,
  ToolRunEvent,
} from '../chat/tool-loop/run-tools.ts';
export {
  connectServer,
  type ServerChatPreview,
  type ServerModel,
  type ServerRunToolsOptions,
} from './connect-server.ts';
export type { ServerChatOptions, ServerKind, ServerOptions } from './server-options.ts';
