/** The events of a tool run, and its state, from which they come. */
import type { Message } from '../../../format/messages.ts';
import type { ResponseEvent, ResponseMessage, Usage } from '../../../parser/events.ts';
import type { ChatEvent, ToolList } from '../../../tools/tools.ts';
import type { ChatOptions } from '../chat-options.ts';
import type { ChatStream } from '../chat-stream.ts';
import type { ToolFailure, ToolResultOf } from './executor.ts';

/** A response of the model begins. Offsets of events refer to one step. */
export interface StepStart {
  readonly type: 'step-start';
  /** From 0. */
  readonly step: number;
}
/** The last event of a run. */
export interface RunFinish {
  readonly type: 'run-finish';
  /** Number of responses. */
  readonly steps: number;
  /**
   * `answer`: the model answered without a call. `length`: a limit of tokens cut off its last response; if that was
   * inside a call, no call is executed. `step-limit`: the limit of responses was reached. `repeated-calls`: it made the
   * same calls again and again, although their results, which were the same, too, were at hand. `open-calls`: it called
   * tools without an `execute`, which the caller must answer. `stop-when`: a condition of `stopWhen` held.
   */
  readonly reason: 'answer' | 'length' | 'step-limit' | 'repeated-calls' | 'open-calls' | 'stop-when';
  /** The sum of all responses; each `finish` has its own usage. */
  readonly usage: Usage;
}

/** The events of all steps, in order. */
export type ToolRunEvent<Tools extends ToolList = ToolList> =
  | ChatEvent<Tools>
  | StepStart
  | ToolResultOf<Tools>
  | ToolFailure
  | RunFinish;

/** What a run needs from a model. */
export interface ToolCaller {
  /** One response, as from `ChatModel.chat`. */
  chat(options: ChatOptions): ChatStream;
}

/** An event of any run. */
export type RunEvent = ResponseEvent | Exclude<ToolRunEvent, ResponseEvent>;

/** A response that is read, of which `finish` has come if its tokens are counted. */
export interface Reading {
  readonly stream: ChatStream;
  readonly options: ChatOptions;
  isCounted: boolean;
}

/** The state of a conversation. */
export interface Conversation {
  readonly messages: Message[];
  last: ResponseMessage;
  usage: Usage;
  /** The response that is read. */
  reading: Reading | null;
  /** Why it ended; `null` before that. */
  reason: RunFinish['reason'] | null;
  /** Whether a limit of tokens ended the last response. */
  cutShort: boolean;
}
