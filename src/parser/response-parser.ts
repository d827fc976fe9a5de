/** The parser that callers use: its options, what it reads and returns, and where it is. */

import type { CallNotationName } from '../format/call-notations.ts';
import type { JsonObject, Tool } from '../format/messages.ts';
import type { ResponseEvent, ResponseMessage } from './events.ts';
import type { Provenance } from './provenance.ts';

/** Options of a response parser. */
export interface ResponseParserOptions {
  /**
   * The tools offered. A call of any other tool is read, but `malformed`. Absent: any name may be called, and no types
   * are known. Empty: no calls are possible, and their markers are text.
   */
  readonly tools?: readonly Tool[];
  /** The part of the assistant's turn that is already in the prompt, including the header. Default: only the header. */
  readonly generationPrompt?: string;
  /**
   * `false`: only one call is allowed. Further calls are reported as `malformed`; the message keeps their text,
   * but not as content. Default: true.
   */
  readonly parallelToolCalls?: boolean;
  /** `none`: thoughts stay in the content, with their markers. Default: `separate`. */
  readonly reasoningFormat?: 'separate' | 'none';
  /**
   * What answers are held to, as `buildGrammar` takes it. If that is JSON, a marker within one of its strings is text.
   * Default: text.
   */
  readonly responseFormat?: { readonly type: 'text' | 'json_object' | 'json_schema' };
  /** Also emits events for markers, so that the events tile the text. Default: false. */
  readonly markers?: boolean;
  /**
   * `false`: the message is not stored, and `finish` returns an empty one. Memory is then bounded by the longest
   * open call, however long the response. Default: true.
   */
  readonly keepMessage?: boolean;
  /**
   * Lists what is wrong with the arguments of a call of an offered tool. If anything is, the call is `malformed`.
   * Default: no check.
   */
  readonly validate?: (toolName: string, input: JsonObject) => readonly string[];
  /**
   * What the caller knows about how the text was written. Calls that a grammar enforced are not validated; the events
   * of other calls are withheld until they have been. Default: nothing is known.
   */
  readonly provenance?: Provenance;
  /**
   * Creates the id of a call if the model had written none when its name became known; `index` counts the
   * response's calls from 0, including broken ones. Default: `call_0`, `call_1`, …
   */
  readonly createId?: (index: number) => string;
  /**
   * Special tokens of the model's vocabulary, as text. If given, a marker counts only if its special tokens arrive
   * in pieces marked `special`; otherwise it is text.
   */
  readonly specialTokens?: readonly string[];
  /**
   * `lenient`: a deviation from the format is read if only one meaning is possible, and reported as `repaired`
   * (`docs/leniency.md`). `strict`: it is `malformed`, or text. Default: `lenient`.
   */
  readonly leniency?: 'lenient' | 'strict';
}

/** A piece of the response, as an engine delivers it. */
export interface ResponsePiece {
  readonly text: string;
  /** The piece is one special token. Default: false. */
  readonly special?: boolean;
}

/** Reads one response as it arrives. */
export interface ResponseParser {
  /**
   * Reads more text. Returns the events that are now certain; the first call also returns those of the prompt.
   * Throws `ResponseOverError` after `finish`.
   */
  feed(text: string | readonly ResponsePiece[]): readonly ResponseEvent[];
  /**
   * Ends the response; `length` means that it was cut short. Returns the last events and the message. Later calls
   * return no more events. Throws `UnsupportedOptionError` for another reason.
   */
  finish(reason?: 'stop' | 'length'): {
    readonly events: readonly ResponseEvent[];
    readonly message: ResponseMessage;
  };
  /** Starts over, with the same options. */
  reset(): void;
  /** The parser's position, for code that steers sampling by it. */
  readonly position: ParserPosition;
  /** The call of an offered tool that is being read, once its name is known; `null` elsewhere. */
  readonly openCall: OpenCall | null;
}

/** The position of a parser. */
export interface ParserPosition {
  /** The open region: reasoning, answer text or calls; `between` at the edges of regions. */
  readonly region: 'reasoning' | 'text' | 'call' | 'between';
  /** Offset of the marker that opened the latest call; `null` before the first. */
  readonly callsOpenedAt: number | null;
  /** Whether thoughts are open: the position is in them, or between their opener and its white space. */
  readonly thinking: boolean;
  /** Name of the current state, as in the generated module: `inAnswer`. */
  readonly state: string;
}

/** How an open call is written, whatever the format's own notation is. */
export type CallNotation =
  /** In the format's notation. `opened`: after the format's own opener, so that its whole closer must follow. */
  | { readonly kind: 'format'; readonly opened: boolean }
  /** As JSON that begins with `head`, up to the arguments; they end, and then so many objects around them. */
  | { readonly kind: 'json'; readonly objects: number; readonly head: string }
  /** In one of the notations of `format/call-notations.ts`. */
  | { readonly kind: 'notation'; readonly name: CallNotationName };

/** A call of an offered tool whose name is known, and whose arguments are not complete. */
export interface OpenCall {
  readonly toolName: string;
  readonly notation: CallNotation;
  /** Offset from which the rest is to be enforced: after the name or, in JSON, after the colon of the arguments. */
  readonly from: number;
}
