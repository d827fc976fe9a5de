/** What steers a response: its grammar, its parser, what ends it, and what guards it. */
import type { BuiltGrammar } from '../../../grammar/built-grammar.ts';
import type { Matcher } from '../../../language/matcher/matcher.ts';
import type { OpenCall } from '../../../parser/response-parser.ts';
import type { CallGuard } from '../checks/call-guard.ts';
import type { OpenEnd } from './stop-watch.ts';
import type { ThinkingOptions } from './thinking-budget.ts';
import type { MarkerLookup } from './trigger-watch.ts';

/** The format's markers among the engine's special tokens. */
interface Markers extends MarkerLookup {
  /** Splits off every character that may begin a special token, and marks it as special. */
  splitAtBeginnings(text: string): readonly { readonly text: string; readonly special: boolean }[];
}

/** A caller's texts that end a response. */
interface StopSequences {
  readonly texts: readonly string[];
  /** Where they count: in the answer, or wherever the response is free text, thoughts and markers included. */
  readonly within: 'answer' | 'response';
  /** Whether thoughts are part of the answer's text, where they count as little as elsewhere. */
  readonly thoughtsAreText: boolean;
}

/** What steers a response. */
export interface SteeringOptions extends ThinkingOptions {
  readonly grammar: BuiltGrammar;
  /** A matcher at the beginning of the grammar, to be copied; `null` without a grammar. */
  readonly matcher: Matcher | null;
  /** Checks what no grammar has enforced; the parser's option `provenance` is its `enforced`. */
  readonly guard: CallGuard;
  readonly markers: Markers;
  /** Texts at which the response ends, however they are tokenised. */
  readonly stops: readonly string[];
  /** Texts that also end it, and are told. Default: none. */
  readonly stopSequences?: StopSequences;
  /** Texts that also end it, unless certain texts follow. Default: none. */
  readonly openEnds?: readonly OpenEnd[];
  /**
   * Texts that also end it inside an answer; `text` is the response, its last `length` characters new. Default: none.
   */
  readonly answerEnds?: (text: string, length: number) => readonly string[];
  /** The maximum number of tokens, including injected ones. */
  readonly maxTokens: number;
  /**
   * Whether the response is unconstrained after a section of calls, until the next trigger. `false`: only what the
   * grammar allows may follow.
   */
  readonly unconstrainedAfterCalls: boolean;
  /**
   * A matcher for the rest of a call that the parser has begun to read without a trigger, after `written`, the text from
   * `call.from` on; `null` if it cannot be enforced.
   */
  readonly restOf: (call: OpenCall, written: string) => Matcher | null;
  /** Whether the grammar covers only text, so that stops count as without a grammar. */
  readonly plainText: boolean;
}
