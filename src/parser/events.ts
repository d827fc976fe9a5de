/**
 * The events of a response parser, named as in the AI SDK: noun, then what happened. Imports only types.
 *
 * Every event covers the span `start`..`end` of the raw text that it consumed (UTF-16 units, `end` exclusive).
 * Offset 0 is the first character fed; the text of the generation prompt has negative offsets. With the option
 * `markers`, `marker` events cover the delimiters too, and the spans of all events tile the text.
 */
import type { AssistantMessage, JsonObject, ToolCall } from '../format/messages.ts';
import type { LeniencyLaw } from './leniency/law-table.ts';

export type { LeniencyLaw } from './leniency/law-table.ts';

interface Span {
  readonly start: number;
  readonly end: number;
}

/** What a parser emits while it reads, in the order of the text. */
export type ResponseEvent =
  | ReasoningStart
  | ReasoningDelta
  | ReasoningEnd
  | TextStart
  | TextDelta
  | TextEnd
  | ToolInputStart
  | ToolInputDelta
  | ToolInputEnd
  | ToolCallEvent
  | Malformed
  | Repaired
  | PossibleCall
  | Marker
  | Finish;

/**
 * An event with tools of any type: a `ResponseEvent`, or a `ChatEvent` of typed tools. For code that does not
 * depend on the types of arguments.
 */
export type AnyResponseEvent =
  | Exclude<ResponseEvent, ToolCallEvent>
  | (Omit<ToolCallEvent, 'arguments'> & { readonly arguments: object });

/** Reasoning begins; the span is empty. `reasoning-delta` events follow, then `reasoning-end`. */
export interface ReasoningStart extends Span {
  readonly type: 'reasoning-start';
  /** Names the region within the response: `reasoning-0`. */
  readonly id: string;
}

/** More reasoning. */
export interface ReasoningDelta extends Span {
  readonly type: 'reasoning-delta';
  readonly id: string;
  readonly delta: string;
}

/** The reasoning is complete. */
export interface ReasoningEnd extends Span {
  readonly type: 'reasoning-end';
  readonly id: string;
}

/** Answer text begins; `text-delta` events follow, then `text-end`. */
export interface TextStart extends Span {
  readonly type: 'text-start';
  readonly id: string;
}

/** More of the answer. */
export interface TextDelta extends Span {
  readonly type: 'text-delta';
  readonly id: string;
  readonly delta: string;
  /** The tokens that begin in this delta, if the chat has the option `logprobs`; a parser by itself has none. */
  readonly logprobs?: readonly TokenLogprob[];
}

/** A candidate token at one position. */
export interface LikelyToken {
  /** Its text; half a character is U+FFFD. */
  readonly token: string;
  readonly bytes: readonly number[];
  /** The natural logarithm of its probability, at least -9999. */
  readonly logprob: number;
}

/** A token of the answer, and its alternatives. */
export interface TokenLogprob extends LikelyToken {
  /** The likeliest tokens at its position, in descending order. */
  readonly top: readonly LikelyToken[];
}

/** This part of the answer is complete. */
export interface TextEnd extends Span {
  readonly type: 'text-end';
  readonly id: string;
}

/**
 * A call's name is known. `id` is the model's own if it was written before the name, otherwise generated. It is final.
 */
export interface ToolInputStart extends Span {
  readonly type: 'tool-input-start';
  readonly id: string;
  readonly toolName: string;
}
/** JSON of the arguments. The joined deltas of a call are at every moment a prefix of its final `input`. */
export interface ToolInputDelta extends Span {
  readonly type: 'tool-input-delta';
  readonly id: string;
  /** JSON text, whatever notation the format uses. */
  readonly delta: string;
}

/** The arguments of a call are complete. `tool-call` follows if they could be read. */
export interface ToolInputEnd extends Span {
  readonly type: 'tool-input-end';
  readonly id: string;
}
/** A call is complete. Comes right after its `tool-input-end`. */
export interface ToolCallEvent extends Span {
  readonly type: 'tool-call';
  /** The same id as the call's `tool-input-start`. */
  readonly toolCallId: string;
  readonly toolName: string;
  /** Arguments as JSON text: what the deltas added up to. */
  readonly input: string;
  /** Arguments, parsed. */
  readonly arguments: JsonObject;
  /** The model's own id, if it was written after the call had been announced. The message has this id. */
  readonly writtenId?: string;
  /** Absent if the parser could not know: it had neither `provenance` nor `validate`. */
  readonly assurance?: Assurance;
  /** Where the grammar overruled the model in this call; only with the chat's option `tellOverruled`. */
  readonly overruled?: readonly Overruled[];
}

/**
 * A place at which the model would have written what the grammar does not allow: 14 days where the schema allows seven
 * come out as 1, valid and not meant.
 */
export interface Overruled {
  /** Offset in the response. */
  readonly at: number;
  /** The text before it, its last 40 characters. */
  readonly before: string;
  /** How the model would have gone on: the text of one token. */
  readonly wished: string;
  /** The probability of that, without the grammar. */
  readonly probability: number;
}

/**
 * Why a call's arguments are known to be valid. `enforced`: its tool's grammar allowed every character, from the first
 * argument to the last. `validated`: they passed their schema's validator once they were complete.
 */
export type Assurance = 'enforced' | 'validated';

/** A call in a response's message, with the `assurance` of its event. */
export interface ReadToolCall extends ToolCall {
  readonly assurance?: Assurance;
}

/**
 * Text that does not fit the format, or a call that cannot be handed out: its tool is not offered, or its arguments
 * are invalid. `raw` is the text, which the message keeps too; empty if earlier events covered all of it.
 */
export interface Malformed extends Span {
  readonly type: 'malformed';
  readonly raw: string;
  /** What was expected at `start`, in readable form: `"</tool_call>"`, `tool name`. */
  readonly expected: readonly string[];
  readonly reason: string;
  /** The call it belongs to, if its name was known. */
  readonly toolCallId?: string;
  /** The call that broke off here, or that was refused. */
  readonly brokenCall?: BrokenCall;
}

/** A call that is not handed out. */
export interface BrokenCall {
  readonly toolName: string;
  /** Its arguments as JSON text: all of them, or up to where it broke off. */
  readonly input: string;
  /** For a complete call, what is wrong with it, one line each. Absent if it broke off. */
  readonly problems?: readonly string[];
}

/**
 * Text that violates the format but was read anyway (`docs/leniency.md`). The span is empty. Repairs of a call come
 * after its `tool-call`.
 */
export interface Repaired extends Span {
  readonly type: 'repaired';
  /** The law of leniency that was applied. */
  readonly law: LeniencyLaw;
  /** What was done, in readable form. */
  readonly detail: string;
  /** The call's id: in events that of its `tool-input-start`, in a message that of its `tool_calls`. */
  readonly toolCallId?: string;
}

/**
 * Text of the answer looks like a call of an offered tool, and was not read as one: it is quoted, or in a notation that
 * is not known. It is in the answer. Comes after the `text-end` of its text, once for each.
 */
export interface PossibleCall extends Span {
  readonly type: 'possible-call';
  readonly toolName: string;
  /** Offset of the tool's name, or of the arguments if there is no name. */
  readonly at: number;
}

/** A delimiter of the format, or white space that belongs to it. Only with the option `markers`. */
export interface Marker extends Span {
  readonly type: 'marker';
  readonly text: string;
}

/** The last event. */
export interface Finish extends Span {
  readonly type: 'finish';
  /** `length`: the text ended inside an open region. */
  readonly reason: 'stop' | 'tool-calls' | 'length';
  /** Why the answer is known to fit its schema, if a chat requested JSON and the response answers with it. */
  readonly assurance?: Assurance;
  /** The stop of a chat's option `stop` that ended the response, if one did. */
  readonly stopSequence?: string;
  /** Where the grammar overruled the model outside calls: in the answer. As in `ToolCallEvent`. */
  readonly overruled?: readonly Overruled[];
  /** Tokens used, if an engine generated the response. */
  readonly usage?: Usage;
}

/**
 * Tokens of one response, or of several. `completionTokens` is the sum of `reasoningTokens`, `textTokens` and
 * `callTokens`; a marker counts towards the region that it opens or closes. The end-of-generation token is not counted.
 */
export interface Usage {
  readonly promptTokens: number;
  /** Prompt tokens that were already evaluated; `null` if a server does not report them. */
  readonly cachedTokens: number | null;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly textTokens: number;
  readonly callTokens: number;
  /** Completion tokens written without sampling: forced by a grammar, or the end of thoughts. */
  readonly injectedTokens: number;
  /** Messages dropped to fit into the context; absent if none were. For a run, the maximum over its steps. */
  readonly droppedMessages?: number;
}

/** The parsed response: an OpenAI assistant message, what could not be parsed, and what was repaired. */
export interface ResponseMessage extends AssistantMessage {
  readonly content: string | null;
  readonly tool_calls?: readonly ReadToolCall[];
  /** Why `content` is known to fit its schema, if a chat requested JSON. */
  readonly assurance?: Assurance;
  readonly malformed?: readonly Malformed[];
  readonly repaired?: readonly Repaired[];
  readonly possible_calls?: readonly PossibleCall[];
}
