/** What steps know of their work while they wait for more text: one kind for each step that has to remember. */
import type { JsonType } from '../../format/chat-format.ts';
import type { JsonScanner } from '../json/json-scanner.ts';
import type { JsonStringReader } from '../json/json-string-reader.ts';
import type { TextBlocks } from '../markers/text-blocks.ts';
import type { EnvelopePaths, FrameChoice } from '../state-tables.ts';
import type { ValueMode } from './values/value-modes.ts';

/** See the top of this file. */
export type StepProgress =
  | ArgumentsProgress
  | BareCallsProgress
  | EnvelopeProgress
  | ExtraEnvelopeProgress
  | NestedEndProgress
  | SpeculationProgress
  | ValueProgress;

/** `readJsonArguments`: the object has begun; `string` reads it where it stands in a JSON string. */
export interface ArgumentsProgress {
  readonly kind: 'arguments';
  readonly string: JsonStringReader | null;
}

/** `readRegion`: the answer begins like calls that are written as JSON and nothing else. */
export interface BareCallsProgress {
  readonly kind: 'bare-calls';
  readonly scanner: JsonScanner;
  /** JSON of the value that is being read. */
  readonly json: TextBlocks;
  phase: 'begin' | 'value' | 'between';
  /** Where they begin, as an offset, if text stands before them. */
  readonly inTextAt: number | null;
  isFenced: boolean;
  /** The format's own marker opens or closes them. */
  isMarked: boolean;
  /** The fence is closed. */
  isClosed: boolean;
  /** Calls so far. */
  count: number;
}

/** `readEnvelope` where one more call may not be made: its text is passed over. */
export interface ExtraEnvelopeProgress {
  readonly kind: 'extra-envelope';
}

/** `endNested`: the value is over; the frame around it ends with `frameClose`. */
export interface NestedEndProgress {
  readonly kind: 'nested-end';
  readonly frameClose: string;
}

/** `readSpeculative`: text is buffered that may be calls. */
export interface SpeculationProgress {
  readonly kind: 'speculation';
  readonly scanner: JsonScanner;
  /** JSON of the value that is being read. */
  readonly json: TextBlocks;
  /** Whole values so far. */
  count: number;
  /** No value is being read. */
  isBetween: boolean;
}

/** A frame with everything that a table may leave out. */
export type Frame = Required<Omit<FrameChoice, 'quoted'>> & { readonly quoted: boolean };

/** The place where a value may have ended without its closer. */
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
  /** The quote that opened it; empty where none did. */
  readonly quote: string;
  mode: ValueMode | null;
  /** It begins like an object or an array. */
  isContainer: boolean;
  /** Its opening quote has been emitted. */
  begun: boolean;
  /** Where the value may have ended before a closer came, as offsets; `none`: what looked like that was quoted. */
  unclosed: UnclosedOffsets | 'none' | null;
  /** It is scanned, and kept until it shows whether it is what its schema asks for. */
  isTentative: boolean;
  /** Offset of its first closer, where nothing legal stands after that. */
  refused: number | null;
  /** JSON of what a string in quotes holds from there on. */
  bufferedJson: string;
}

/** Where reading stands in a call that is one JSON object. */
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

/** Arguments that came before the call's name: their JSON, and the offsets between which they stand. */
export interface EarlyArguments {
  json: string;
  readonly start: number;
  end: number;
}

/** `readEnvelope`: a call has begun that is one JSON object. */
export interface EnvelopeProgress {
  readonly kind: 'envelope';
  paths: EnvelopePaths;
  /** The key of one more object around the call. */
  wrapper: string | null;
  readonly indexIsId: boolean;
  phase: EnvelopePhase;
  /** Keys from the outside in to the object in which reading stands. */
  readonly path: string[];
  /** The current key in that object. */
  key: string;
  /** JSON of a key or a captured value. */
  captured: string;
  /** Offset of the value that is being read. */
  valueStart: number;
  early: EarlyArguments | null;
  argumentsRead: boolean;
  /** JSON of the members next to the arguments, while those have not come. */
  readonly members: Map<string, string>;
  string: JsonStringReader | null;
  /** What is reported if this is not a JSON object. */
  expected: readonly string[];
  reason: string;
}
