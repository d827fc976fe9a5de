/** Carries out calls; the result of one. */
import type { CallContext, EachTool, ToolList, ToolName, ToolOutput } from '../../../tools/tools.ts';

/** Carries out calls of any tool. */
export type Executor<Call> = (call: Call, context: CallContext) => unknown;

/** A call was carried out. */
export interface ToolResult {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  /** What `execute` returned. */
  readonly output: unknown;
  /** What the model is told. */
  readonly content: string;
}
/** A call could not be carried out. The run goes on, and the model is told. */
export interface ToolFailure {
  readonly type: 'tool-error';
  readonly toolCallId: string;
  readonly toolName: string;
  /** What `execute` threw, or why it was not tried. */
  readonly error: unknown;
  readonly content: string;
}
/** Results of the tools on offer: `toolName` narrows `output` to what that tool's `execute` returns. */
export type ToolResultOf<Tools extends ToolList> = ResultOfEach<EachTool<Tools>>;

type ResultOfEach<Each> = Each extends unknown
  ? Omit<ToolResult, 'toolName' | 'output'> & {
      readonly toolName: ToolName<Each>;
      readonly output: ToolOutput<Each>;
    }
  : never;

/** What came of a call. */
export type CallOutcome = ToolResult | ToolFailure;
