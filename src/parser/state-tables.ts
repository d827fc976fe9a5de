/**
 * The tables of states: each step of the runtime (`between`, `region`, `expect`, …) has a table of the markers
 * that may come and where they lead. `Ref` is a state: its name in a definition, or the state itself.
 */
import type { CallNotationName } from '../format/call-notations.ts';
import type { JsonType, KeyedText } from '../format/chat-format.ts';
import type { EnvelopePaths, Evidence } from '../layout/evidence.ts';
import type { LeniencyLaw } from './events.ts';

export type { KeyedText } from '../format/chat-format.ts';
export type { EnvelopePaths } from '../layout/evidence.ts';

/** When a marker counts. An absent condition is fulfilled. */
export interface MarkerConditions extends Evidence {
  /** `call`: opens a call, so it counts only while calls are allowed. `thought`: belongs to reasoning. */
  readonly role?: 'call' | 'thought';
  /** Counts only as a special token, because prose may mention it. */
  readonly onlyAsSpecialToken?: true;
  /** Counts only at the very end of the response: an end of turn whose last token was not delivered. */
  readonly onlyAtEnd?: true;
  /** Counts only for a lenient parser, which reports it under this law. */
  readonly repairs?: LeniencyLaw;
  /** Text if a sentence mentions it: the sentence is not over before it, or this opener is in its line. */
  readonly unlessMentioned?: string;
  /** The marker means nothing: it is skipped, and the state does not change. */
  readonly passes?: true;
}

/** A marker that may come at some place, and where it leads. `Ref` is a state: its name, or the state itself. */
export interface Transition<Ref> extends MarkerConditions {
  /**
   * Exact text. White space at its edges, around its line breaks and between `>` and `<` is flexible; elsewhere it
   * must match.
   */
  readonly marker: string;
  readonly next: Ref;
  /** The marker is peeked, not consumed. */
  readonly peek?: true;
  /**
   * In reasoning: it may be a call, or thoughts about one. `next` buffers the text until the reasoning is closed
   * (thoughts) or the turn ends without that (a call).
   */
  readonly ambiguous?: true;
  /** In text: it is a call only if nothing but calls follows up to the end of the turn, which `next` finds out. */
  readonly speculative?: true;
}

/** `between`: between regions. Markers are tried after white space; other text begins at `otherwise`. */
export interface BeginTable<Ref, Choices = readonly Transition<Ref>[]> {
  readonly choices: Choices;
  readonly otherwise: Ref;
  /** Text and thoughts that follow are apart from those before: a line break stands between them. */
  readonly separates?: true;
}

/** `region`: in reasoning or in the answer, up to a stop. */
export interface RegionTable<Ref, Choices = readonly Transition<Ref>[]> {
  readonly region: 'reasoning' | 'text';
  readonly stops: Choices;
  /** A marker must close the region; otherwise the text was cut short. */
  readonly mustClose?: true;
}

/** `header`: a region's header in a spelling that the template does not render. */
export interface HeaderTable<Ref> {
  /** Ends every header: `<|message|>`. */
  readonly end: string;
  /** Marks a call; the tool's name follows: `to=functions.`. */
  readonly call?: { readonly marker: string; readonly next: Ref } | undefined;
  /** Marks reasoning. */
  readonly thought?: { readonly marker: string; readonly next: Ref } | undefined;
  /** The part of `call.marker` before any recipient: `to=`. A header with an unknown recipient is malformed. */
  readonly recipient: string;
  /** The recipient that is the model itself: `to=assistant`. Absent means that there is none. */
  readonly self?: string;
  /** The type of a call's arguments, which its header ends with: `json`. Absent means that there is none. */
  readonly type?: string;
  /** The token that headers begin with, except those of calls: `<|channel|>`. */
  readonly begin?: string;
  /** Beginnings of headers that the format has; any other is noted. Absent means that none is. */
  readonly known?: readonly string[];
  /** Where any other header leads. */
  readonly next: Ref;
  /** Where text leads that is no header. */
  readonly otherwise: Ref;
  readonly recover: Ref;
}

/** `ambiguous`: text that is reasoning if one of the `stops` comes, and is otherwise read again from `resume`. */
export interface AmbiguousTable<Ref, Choices = readonly Transition<Ref>[]> {
  readonly stops: Choices;
  /** Markers that show that it is not reasoning. */
  readonly ends: Choices;
  readonly resume: Ref;
  /** Where reading continues at once if the prompt opened the reasoning. */
  readonly opened?: Ref | undefined;
}

/** `speculative`: text that is calls if nothing else comes up to the end of the turn. */
export interface SpeculativeTable<Ref, Choices = readonly Transition<Ref>[]> {
  readonly paths: EnvelopePaths;
  /** The calls are items of one JSON array. */
  readonly list: boolean;
  /** Markers that end the turn. */
  readonly ends: Choices;
  /** Where calls are read. */
  readonly next: Ref;
  /** Where text is read. */
  readonly otherwise: Ref;
}

/** `expect`: inside a call. White space is skipped; anything but one of the choices is an error, or `otherwise`. */
export interface ExpectTable<Ref, Choices = readonly Transition<Ref>[]> {
  readonly choices: Choices;
  readonly otherwise?: Ref | undefined;
  /** Where malformed text is skipped. */
  readonly recover: Ref;
  /** The call is complete when this state is reached. */
  readonly completes?: true;
  /** Where reading continues if the nested value around this place is closed here. Tried before the choices. */
  readonly enclosing?: Ref | undefined;
  /** Where the end of the response leads, for calls that need no closer. */
  readonly atEnd?: Ref | undefined;
  /** Further calls within the same markers, for a lenient parser. */
  readonly moreCalls?: MoreCalls<Ref> | undefined;
  /** The reason reported if none of the choices comes. Default: unexpected text in a call. */
  readonly reason?: string;
}

/** JSON calls after another one in the same markers: separated by a comma, a semicolon or nothing, or in an array. */
export interface MoreCalls<Ref> {
  readonly paths: EnvelopePaths;
  /** Where such a call is read. */
  readonly next: Ref;
}

/** `recover`: skips malformed text up to the next marker from which reading can continue. */
export interface RecoverTable<Ref, Choices = readonly Transition<Ref>[]> {
  readonly choices: Choices;
}

/** A notation of calls other than the format's. */
export interface Notation<Ref> {
  readonly name: CallNotationName;
  /** The text before the tool's name; empty if there is none. */
  readonly open: string;
  /** The texts that may follow the name. */
  readonly nameEnds: readonly string[];
  /** Reads one call, from its name on. */
  readonly start: Ref;
}

/** A piece of a composed id: text, or a hole. */
export type IdPart = string | { readonly hole: 'name' | 'index' };

/** `hole`: a name, an id, an index or a key, up to one of the ends. */
export interface HoleTable<Ref, Choices = readonly Transition<Ref>[]> {
  readonly hole: 'name' | 'id' | 'index' | 'composed-id' | 'key';
  readonly ends: Choices;
  /** The state after white space, if white space alone can end the hole. */
  readonly space?: Ref | undefined;
  /** The white space that ends it and does not belong to the value after it: `\n`. Absent means none. */
  readonly gap?: string;
  /** For a composed id. */
  readonly parts?: readonly IdPart[];
  /** The call is announced here: its name is known and, if it is written before the arguments, its id. */
  readonly announce?: true;
  /** The index is the message's id. */
  readonly indexIsId?: true;
  /** For a key: the place of the value that follows. */
  readonly place?: ValuePlace<Ref> | undefined;
  /** The call is complete after the hole, so the end of the text ends the hole too. */
  readonly completes?: true;
  /** For a name: where the end of the response leads, if it ends the hole. */
  readonly atEnd?: Ref | undefined;
  readonly recover: Ref;
}

/** `jsonArguments`: the arguments as one JSON object. */
export interface JsonArgumentsTable<Ref, Choices = readonly Transition<Ref>[]> {
  readonly next: Ref;
  readonly recover: Ref;
  /** Markers that may come in place of the arguments: a call without any. */
  readonly ends: Choices;
  /** An id may still follow, so the call is completed later. */
  readonly open?: true;
}

/** `jsonCall`: a call that is one JSON object. */
export interface EnvelopeTable<Ref, Choices = readonly Transition<Ref>[]> {
  readonly paths: EnvelopePaths;
  readonly indexIsId?: true;
  readonly next: Ref;
  /** Closers of a call whose last braces are missing; peeked, not consumed. */
  readonly ends?: Choices | undefined;
  readonly recover: Ref;
}

/** The surroundings of a value: an entry of the arguments, or a property or item of a nested value. */
export interface ValuePlace<Ref> {
  readonly kind: 'entry' | 'property' | 'item';
  /** Text after the value's frame: `\n</parameter>\n`. */
  readonly close: KeyedText;
  /**
   * What may follow `close`, each a list of texts with white space between them; `{hole: 'key'}` stands for any
   * key. A raw string ends only if one of them follows. Absent means that anything may follow.
   */
  readonly continuations?: readonly KeyedText[];
  /** How another entry begins, if its marker does not occur in text: the text before its key, and that after it. */
  readonly another?: { readonly open: string; readonly keyEnd: string };
  /** What a raw value that quotes a whole call contains. */
  readonly calls?: CallMarkers;
  readonly next: Ref;
}

/** The markers of a call that do not occur in other text. */
export interface CallMarkers {
  /** The last one before the tool's name. */
  readonly open: string;
  /** One after the arguments. */
  readonly close: string;
  /** All after the arguments, with those of the section; a hole is the tool's name, or an id. */
  readonly closing: KeyedText;
}

/** `item`: the next item of a nested array. */
export interface ItemTable<Ref> {
  readonly place: ValuePlace<Ref>;
  /** Where the value begins. */
  readonly next: Ref;
}

/** `nestedEnd`: the end of a value in nested notation, up to its place's `close`. */
export interface EndNestedTable<Ref> {
  readonly recover: Ref;
}

/** `argumentsEnd`: no more entries. */
export interface EndArgumentsTable<Ref> {
  readonly next: Ref;
  /** An id may still follow, so the call is completed later. */
  readonly open?: true;
}

/** `value`: a value in one of its frames; frames with an opener are tried first. */
export interface ValueTable<Ref> {
  readonly frames: readonly FrameChoice[];
  /** Objects and arrays that are written in the format's own notation instead of JSON. */
  readonly object?: ContainerOpening<Ref> | undefined;
  readonly array?: ContainerOpening<Ref> | undefined;
  readonly recover: Ref;
}

/** One frame, and the types that it holds. */
export interface FrameChoice {
  /** Absent means that nothing precedes the value. */
  readonly open?: string;
  readonly close?: string;
  readonly types: readonly JsonType[];
  /** Strings are literals of Python or JSON, not raw text. */
  readonly quoted?: true;
}

/** How an object or an array in the format's own notation begins. */
export interface ContainerOpening<Ref> {
  readonly open: string;
  readonly next: Ref;
  /** The opener belongs to the first element: it is peeked, not consumed. */
  readonly peek?: true;
}
