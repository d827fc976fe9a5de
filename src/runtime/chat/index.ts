/** The names that the entry points for all engines share. */
export type { Usage } from '../../parser/events.ts';
export type { ToolFormatOption } from '../../template/tool-format/tool-format-option.ts';
export {
  type CallContext,
  type ChatEvent,
  defineTool,
  type ToolCallOf,
  type ToolChoiceOf,
  type ToolInput,
  type ToolList,
} from '../../tools/tools.ts';
export type { AnswerOf, PartialAnswer, WrittenAnswer } from './answer.ts';
export type { DryOptions, LogitBias, PromptProgress, SamplingOptions, XtcOptions } from './chat-options.ts';
export type { ChatStream } from './chat-stream.ts';
export type { ModuleRegistry } from './learned-template.ts';
export type { LearnedTemplate } from './template-reader.ts';
export type { Executor, ToolFailure, ToolResult, ToolResultOf } from './tool-loop/executor.ts';
export type { RunFinish, StepStart, ToolRunEvent } from './tool-loop/run-events.ts';
export type { ToolRun } from './tool-loop/run-tools.ts';
export type { RunStep, StopCondition } from './tool-loop/stop-conditions.ts';
