/** Chatting with models behind llama-server, vLLM and SGLang. Runs wherever there is `fetch`, in browsers too. */
export {
  type CallContext,
  type ChatEvent,
  defineTool,
  type ToolCallOf,
  type ToolInput,
  type ToolList,
} from '../../tools/tools.ts';
export type { SamplingOptions } from '../chat/chat-options.ts';
export type { ChatStream } from '../chat/chat-stream.ts';
export type { Executor } from '../chat/execute-call.ts';
export type { LearnedTemplate, ModuleRegistry } from '../chat/learned-template.ts';
export type {
  RunFinish,
  StepStart,
  ToolFailure,
  ToolResult,
  ToolRun,
  ToolRunEvent,
} from '../chat/run-tools.ts';
export {
  connectServer,
  type ServerChatPreview,
  type ServerKind,
  type ServerModel,
  type ServerOptions,
  type ServerRunToolsOptions,
} from './connect-server.ts';
export type { ServerChatOptions } from './server-chat.ts';
