/** What steps remember while they wait for more text: one type for each step that needs it. */
import type { CallNotationName } from '../../format/call-notations.ts';
import type { JsonType } from '../../format/chat-format.ts';
import type { JsonScanner } from '../json/json-scanner.ts';
import type { JsonStringReader } from '../json/json-string-reader.ts';
import type { TextBlocks } from '../markers/text-blocks.ts';
import type { EnvelopePaths, FrameChoice } from '../state-tables.ts';
import type { QuotedCalls } from './values/quoted-calls.ts';
import type { ValueMode } from './values/value-modes.ts';

/** See the top of this file. */
export type StepProgress =
  | ArgumentsProgress
  | BareCallsProgress
  | CallAhead
  | EnvelopeProgress
  | ExtraEnvelopeProgress
  | NestedEndProgress
  | SpeculationProgress
  | StreamedCallsProgress
  | ValueProgress;

/** `readJsonArguments`: the object has begun; `string` reads it if it is inside a JSON string. */
export interface ArgumentsProgress {
  readonly kind: 'arguments';
  readonly string: JsonStringReader | null;
}

/** `readRegion`: a call is read ahead from the offset `opener`, to see whether it is complete. */
export interface CallAhead {
  readonly kind: 'call-in-span';
  readonly opener: number;
}

/** `readRegion`: the answer may consist of calls in a notation that is not the format's. */
export interface BareCallsProgress {
  readonly kind: 'bare-calls';
  readonly scanner: JsonScanner;
  /** JSON of the value being read. */
  readonly json: TextBlocks;
  phase: 'begin' | 'value' | 'between';
  /** Offset of their beginning, if text precedes them. */
  readonly inTextAt: number | null;
  isFenced: boolean;
  /** Whether the fence is one of code, in which a call of a function is code. */
  isCode: boolean;
  /** Whether the format's own marker opens or closes them. */
  isMarked: boolean;
  /** Whether there is a second pair of braces around JSON. */
  isDoubled: boolean;
  /** Whether the fence is closed. */
  isClosed: boolean;
  /** Whether calls precede them that have been read as they arrived. */
  readonly isStreaming: boolean;
  /** Whether those opened a list. */
  readonly isListed: boolean;
  /** The calls that have been read. */
  readonly calls: ForeignCall[];
  /** The call being read, if it is not JSON. */
  trial: CallTrial | null;
  /** Offset of the call being read. */
  valueAt: number;
  /** Offset after the last call and the markers after it. */
  endedAt: number;
  /** Calls so far, those in a list counted singly. */
  count: number;
}

/** A call in a notation that is not the format's: a known one, its only value without a key, or else JSON. */
export interface ForeignCall {
  readonly notation: CallNotationName | null;
  readonly sole: SoleValue | null;
  readonly at: number;
  readonly end: number;
}

/** A call of a tool that requires one argument, whose text stands without its key; positions are offsets. */
export interface SoleValue {
  readonly toolName: string;
  readonly key: string;
  readonly nameAt: number;
  readonly valueAt: number;
  readonly value: string;
  readonly end: number;
}

/** Reads what may be one call in one of several notations, without emitting anything. */
export interface CallTrial {
  read(text: string, ended: boolean): void;
  readonly failed: boolean;
  readonly whole: Omit<ForeignCall, 'at'> | null;
  readonly begun: BegunCall | null;
}

/** A call whose notation is certain, and whose name is known. */
export interface BegunCall {
  readonly toolName: string;
  readonly notation: CallNotationName;
  /** Offset after the name. */
  readonly nameEnd: number;
}

/** `readRegion`: calls written as JSON, which a grammar enforces. */
export interface StreamedCallsProgress {
  readonly kind: 'streamed-calls';
  /** The call being read; `null` between calls. */
  envelope: EnvelopeProgress | null;
  /** Reads one more call where only one may be made. */
  extra: JsonScanner | null;
  /** Whether a fence is open. */
  isFenced: boolean;
  /** Whether a list is open. */
  isListed: boolean;
}

/** `readEnvelope`, if a further call is not allowed: its text is skipped. */
export interface ExtraEnvelopeProgress {
  readonly kind: 'extra-envelope';
}

/** `endNested`: the value is complete; the frame around it ends with `frameClose`. */
export interface NestedEndProgress {
  readonly kind: 'nested-end';
  readonly frameClose: string;
}

/** `readSpeculative`: buffered text that may be calls. */
export interface SpeculationProgress {
  readonly kind: 'speculation';
  readonly scanner: JsonScanner;
  /** JSON of the value being read. */
  readonly json: TextBlocks;
  /** Complete values so far. */
  count: number;
  /** Whether the position is between values. */
  isBetween: boolean;
}

/** A frame with all optional fields filled in. */
export type Frame = Required<Omit<FrameChoice, 'quoted'>> & { readonly quoted: boolean };

/** Where a value may have ended without its closer. */
export interface UnclosedOffsets {
  readonly at: number;
  readonly textEnd: number;
  /** The call ended there; otherwise another argument began. */
  readonly endsCall: boolean;
}

/** `readValue`: a value has begun. */
export interface ValueProgress {
  readonly kind: 'value';
  readonly frame: Frame;
  readonly types: ReadonlySet<JsonType>;
  /** The quote that opened it, or empty. */
  readonly quote: string;
  mode: ValueMode | null;
  /** Whether it begins like an object or an array. */
  isContainer: boolean;
  /** Whether its opening quote has been emitted. */
  begun: boolean;
  /** Whether text of a raw string has been emitted. */
  hasText: boolean;
  /** Offsets where the value may have ended before a closer came; `none`: such text turned out to be quoted. */
  unclosed: UnclosedOffsets | 'none' | null;
  /** It is scanned, and withheld until it is clear whether it fits its schema. */
  isTentative: boolean;
  /** Offset of its first closer that nothing legal follows. */
  refused: number | null;
  /** The first of those that nothing in the value opens; `none`: it is part of the value. */
  unopened: UnopenedCloser | 'none' | null;
  /** Whether it is withheld as a whole, because a marker before it is written twice or lacks a part. */
  isWhole: boolean;
  /** JSON of the content of a quoted string after that offset. */
  bufferedJson: string;
  /** Where a raw value quotes calls; `null` where that does not matter. */
  calls: QuotedCalls | null;
  /** Where it quotes arguments. */
  entries: QuotedCalls | null;
}

/** A closer in a value that nothing in the value opens. */
export interface UnopenedCloser {
  /** Offset of the end of the text before it. */
  readonly at: number;
  /** It stands as the format writes it: it ends its line, or a word follows at once, so no text quotes it. */
  readonly isCertain: boolean;
}

/** The current part of a call that is one JSON object. */
export type EnvelopePhase =
  | 'open'
  | 'key'
  | 'colon'
  | 'value'
  | 'name'
  | 'id'
  | 'arguments'
  | 'string'
  | 'other'
  | 'after';

/** Arguments that came before the call's name: their JSON, and their offsets. */
export interface EarlyArguments {
  json: string;
  readonly start: number;
  end: number;
}

/** `readEnvelope`: a call that is one JSON object has begun. */
export interface EnvelopeProgress {
  readonly kind: 'envelope';
  paths: EnvelopePaths;
  /** The key of an additional object around the call. */
  wrapper: string | null;
  readonly indexIsId: boolean;
  phase: EnvelopePhase;
  /** Keys on the way to the current object, outermost first. */
  readonly path: string[];
  /** The current key in that object. */
  key: string;
  /** JSON of the key or value being captured. */
  captured: string;
  /** Offset of the value being read. */
  valueStart: number;
  early: EarlyArguments | null;
  argumentsRead: boolean;
  /** JSON of the members next to the arguments, until those come. */
  readonly members: Map<string, string>;
  string: JsonStringReader | null;
  /** The expectation reported if this is not a JSON object. */
  expected: readonly string[];
  reason: string;
}
