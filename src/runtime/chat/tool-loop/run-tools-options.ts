/** The options of a tool run. */
import type { ResponseFormat } from '../../../grammar/grammar-options.ts';
import type { ToolCallOf, ToolList } from '../../../tools/tools.ts';
import type { ChatOptions } from '../chat-options.ts';
import type { Executor } from './executor.ts';
import type { StopCondition } from './stop-conditions.ts';

/**
 * The options of a tool run. `toolChoice: 'required'`, or a named tool, applies only to the first response, because
 * otherwise the model could never answer. A restriction to allowed tools applies to all responses.
 */
export interface RunToolsOptions<
  Tools extends ToolList = ToolList,
  Format extends ResponseFormat = ResponseFormat,
> extends ChatOptions<Tools, Format> {
  /** Each with its own `execute`, unless the run has one for all. */
  readonly tools: Tools;
  /** Executes the calls of tools that have no `execute` of their own: `(call) => client.callTool(call)`. */
  readonly execute?: Executor<ToolCallOf<Tools>> | undefined;
  /**
   * Milliseconds after which a call is abandoned: its `signal` is aborted, and the model is told. Default: no limit.
   */
  readonly toolTimeoutMs?: number | undefined;
  /**
   * How often a call that failed or timed out is retried before the model is told; calls with invalid arguments are
   * not retried. Default: 0.
   */
  readonly toolRetries?: number | undefined;
  /**
   * A call in which the grammar overruled the model (`tellOverruled`) somewhere with at least this probability is not
   * executed: the model is told what it would have written, and may call again; a second such call of the same tool is
   * executed. From 0 to 1. Default: never.
   */
  readonly askIfOverruled?: number | undefined;
  /**
   * Asks the model once more if its answer holds what looks like a call of an offered tool (a `possible-call` event):
   * to make the call, or to answer without. At most once in a run. Default: false, because the text may be an example.
   */
  readonly askAgain?: boolean | undefined;
  /**
   * The run ends with `repeated-calls` when a response has made the calls of the one before, and got the same results,
   * this many times in a row, at least 1. Raise it for tools that are polled. Default: 2.
   */
  readonly maxRepeats?: number | undefined;
  /** The maximum number of responses, at least 1. Default: 8; with `stopWhen`, no limit. */
  readonly maxSteps?: number | undefined;
  /**
   * Ends the run after a response with calls, once they have their results, if a condition holds: of the AI SDK
   * (`stepCountIs(5)`, `hasToolCall('save')`), or your own. Default: none.
   */
  readonly stopWhen?: StopCondition | readonly StopCondition[] | undefined;
}
