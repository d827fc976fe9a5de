/** What a run of tools is asked to do. */
import type { ToolCallOf, ToolList } from '../../../tools/tools.ts';
import type { ChatOptions } from '../chat-options.ts';
import type { Executor } from './executor.ts';

/**
 * What a run is to do. What `toolChoice` demands (`required`, a named tool) is demanded of the first response
 * only: else the model could never answer. Which tools are allowed stays so for all.
 */
export interface RunToolsOptions<Tools extends ToolList = ToolList> extends ChatOptions<Tools> {
  /** Each with an `execute` of its own, unless the run has one for all. */
  readonly tools: Tools;
  /** Carries out the calls of tools that have no `execute` of their own: `(call) => client.callTool(call)`. */
  readonly execute?: Executor<ToolCallOf<Tools>>;
  /**
   * Milliseconds after which a call is given up: its `signal` is aborted, and the model is told. Default: none, a
   * call takes as long as it takes.
   */
  readonly toolTimeoutMs?: number;
  /**
   * How often a call that failed, or took too long, is carried out again before the model is told; arguments that do
   * not fit are not tried again. Default: 0.
   */
  readonly toolRetries?: number;
  /** The most responses that are asked for, at least 1. Default: 8. */
  readonly maxSteps?: number;
}
