/** The type of functions that execute calls, and the outcome of a call. */
import type { CallContext, EachTool, ToolList, ToolName, ToolOutput } from '../../../tools/tools.ts';

/** Executes calls of any tool. */
export type Executor<Call> = (call: Call, context: CallContext) => unknown;

/** A call was executed. */
export interface ToolResult {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  /** What `execute` returned. */
  readonly output: unknown;
  /** The result as the model reads it. */
  readonly content: string;
}
/** A call failed. The run continues, and the model is told. */
export interface ToolFailure {
  readonly type: 'tool-error';
  readonly toolCallId: string;
  readonly toolName: string;
  /** What `execute` threw, or why the call was not attempted. */
  readonly error: unknown;
  readonly content: string;
}
/** Results of the offered tools: `toolName` narrows `output` to the return type of that tool's `execute`. */
export type ToolResultOf<Tools extends ToolList> = ResultOfEach<EachTool<Tools>>;

type ResultOfEach<Each> = Each extends unknown
  ? Omit<ToolResult, 'toolName' | 'output'> & {
      readonly toolName: ToolName<Each>;
      readonly output: ToolOutput<Each>;
    }
  : never;

/** The outcome of a call. */
export type CallOutcome = ToolResult | ToolFailure;
