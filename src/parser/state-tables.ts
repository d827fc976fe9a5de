/**
 * What states are made of: each step of the runtime (`between`, `region`, `expect`, …) has a table of what may stand
 * in its place and where that leads. `Ref` is a state: its name in a definition, or the state itself.
 */
import type { JsonType } from '../format/chat-format.ts';
import type { LeniencyLaw } from './events.ts';

/** When a marker counts. Absent conditions are fulfilled. */
export interface MarkerConditions {
  /** `call`: opens a call, so it counts only while calls are allowed. `thought`: belongs to reasoning. */
  readonly role?: 'call' | 'thought';
  /** Counts only where the name of an offered tool follows, and after that one of these texts. */
  readonly nameFollows?: readonly string[];
  /** In front of that name stands the call's number, with this text after it: `. ` in `1. f`. */
  readonly afterNumber?: string;
  /**
   * Counts only where one of these follows: prose may speak of markers. Not asked where the marker is written
   * with a special token.
   */
  readonly followedBy?: Following;
  /** Counts only where it is written with a special token: prose may speak of it. */
  readonly onlyAsSpecialToken?: true;
  /** Counts only where (after a marker that is not itself the brace) a JSON call of an offered tool begins. */
  readonly envelopeFollows?: EnvelopePaths;
  /** Counts only at the very end of the response: an end of turn whose last token was not delivered. */
  readonly onlyAtEnd?: true;
  /** What closes the block of calls that the marker opens: `</tool_call>`. Where it comes at once, there are none. */
  readonly blockEnd?: string;
  /** Counts only where the parser forgives what is not the format's; taking it is reported under this law. */
  readonly repairs?: LeniencyLaw;
  /** The marker stands for nothing: it is passed over, and reading goes on in the same place. */
  readonly passes?: true;
}

/** A marker that may stand at some place, and what follows it. `Ref` is a state: its name, or the state itself. */
export interface Transition<Ref> extends MarkerConditions {
  /**
   * Exact text. White space at its edges, around its line breaks and between `>` and `<` is flexible; elsewhere it counts.
   */
  readonly marker: string;
  readonly next: Ref;
  /** The marker is only seen, not consumed. */
  readonly peek?: true;
  /**
   * In reasoning: it may be a call, or thoughts about one. `next` holds the text until the reasoning is closed
   * (thoughts) or the turn ends without that (a call).
   */
  readonly ambiguous?: true;
  /** In text: it may be a call only if calls go on from here to the end of the turn, which `next` finds out. */
  readonly speculative?: true;
}

/** What must stand after an opener, white space aside. */
export interface Following {
  /** One of these texts. */
  readonly texts?: readonly string[];
  /** Or any name with one of these texts after it. */
  readonly nameEnds?: readonly string[];
}

/** Where a JSON call holds its parts; keys from the outside in. */
export interface EnvelopePaths {
  /** `null`: the name is itself the only key, and its value the arguments. */
  readonly name: readonly string[] | null;
  readonly arguments: readonly string[];
  readonly id?: readonly string[];
  readonly index?: readonly string[];
}

/** `between`: between regions. Markers are tried after white space; other text begins at `otherwise`. */
export interface BeginTable<Ref, Choices = readonly Transition<Ref>[]> {
  readonly choices: Choices;
  readonly otherwise: Ref;
}

/** `region`: in reasoning or in the answer, up to one of the stops. */
export interface RegionTable<Ref, Choices = readonly Transition<Ref>[]> {
  readonly region: 'reasoning' | 'text';
  readonly stops: Choices;
  /** The region is closed by a marker: text that ends without it is cut short. */
  readonly mustClose?: true;
}

/** `header`: a region's header in a spelling that the template does not show. */
export interface HeaderTable<Ref> {
  /** Ends every header: `<|message|>`. */
  readonly end: string;
  /** What says that a call follows; the tool's name stands after it: `to=functions.`. */
  readonly call?: { readonly marker: string; readonly next: Ref } | undefined;
  /** What says that the region is reasoning. */
  readonly thought?: { readonly marker: string; readonly next: Ref } | undefined;
  /** The beginning of `call.marker` that any recipient has: `to=`. A header with another one is malformed. */
  readonly recipient: string;
  /** Where any other header leads. */
  readonly next: Ref;
  /** Where text leads that is not a header. */
  readonly otherwise: Ref;
  readonly recover: Ref;
}

/** `ambiguous`: text that is reasoning if `stops` come, and is read again from `resume` if they do not. */
export interface AmbiguousTable<Ref, Choices = readonly Transition<Ref>[]> {
  readonly stops: Choices;
  /** Markers that settle it the other way. */
  readonly ends: Choices;
  readonly resume: Ref;
  /** Where reading goes at once if the prompt opened the reasoning. */
  readonly opened?: Ref | undefined;
}

/** `speculative`: text that is calls if it is nothing else up to the end of the turn. */
export interface SpeculativeTable<Ref, Choices = readonly Transition<Ref>[]> {
  readonly paths: EnvelopePaths;
  /** The calls are the items of one JSON array. */
  readonly list: boolean;
  /** Markers that end the turn. */
  readonly ends: Choices;
  /** Where calls are read. */
  readonly next: Ref;
  /** Where text is read. */
  readonly otherwise: Ref;
}

/** `expect`: inside a call. White space is passed over; none of the choices is an error, or `otherwise`. */
export interface ExpectTable<Ref, Choices = readonly Transition<Ref>[]> {
  readonly choices: Choices;
  readonly otherwise?: Ref | undefined;
  /** Where malformed text is passed over. */
  readonly recover: Ref;
  /** The call is complete when this place is reached. */
  readonly completes?: true;
  /** Where reading goes if the nested value around this place is closed here. Tried before the choices. */
  readonly enclosing?: Ref | undefined;
  /** Where the end of the response leads: calls that nothing closes end there. */
  readonly atEnd?: Ref | undefined;
  /** More calls in the markers of one, where the parser forgives them. */
  readonly moreCalls?: MoreCalls<Ref> | undefined;
  /** What is wrong if none of the choices comes. Default: unexpected text in a call. */
  readonly reason?: string;
}

/** JSON calls after one in the same markers: with a comma, a semicolon or nothing between them, or in a list. */
export interface MoreCalls<Ref> {
  readonly paths: EnvelopePaths;
  /** Where such a call is read. */
  readonly next: Ref;
}

/** `recover`: passes over malformed text up to the next marker that says where the reader stands. */
export interface RecoverTable<Ref, Choices = readonly Transition<Ref>[]> {
  readonly choices: Choices;
}

/** A piece of a composed id: text, or a hole. */
export type IdPart = string | { readonly hole: 'name' | 'index' };

/** `hole`: a name, an id, an index or a key, up to one of the ends. */
export interface HoleTable<Ref, Choices = readonly Transition<Ref>[]> {
  readonly hole: 'name' | 'id' | 'index' | 'composed-id' | 'key';
  readonly ends: Choices;
  /** The state after white space, where that alone can end the hole. */
  readonly space?: Ref | undefined;
  /** The white space that ends it, and of which the value after it begins without: `\n`. Absent means none. */
  readonly gap?: string;
  /** Of a composed id. */
  readonly parts?: readonly IdPart[];
  /** The call is announced here: its name and, where it is written before the arguments, its id are known. */
  readonly announce?: true;
  /** The index is what the message calls the id. */
  readonly indexIsId?: true;
  /** Of a key: the place of the value that follows. */
  readonly place?: ValuePlace<Ref> | undefined;
  /** The call is complete after it; so the end of the text ends it, too. */
  readonly completes?: true;
  /** Of a name: where the end of the response leads, if that ends the hole. */
  readonly atEnd?: Ref | undefined;
  readonly recover: Ref;
}

/** `jsonArguments`: the arguments as one JSON object. */
export interface JsonArgumentsTable<Ref, Choices = readonly Transition<Ref>[]> {
  readonly next: Ref;
  readonly recover: Ref;
  /** Markers that may stand in place of the arguments: a call without any. */
  readonly ends: Choices;
  /** An id may still follow, so the call is completed later. */
  readonly open?: true;
}

/** `jsonCall`: a call that is one JSON object. */
export interface EnvelopeTable<Ref, Choices = readonly Transition<Ref>[]> {
  readonly paths: EnvelopePaths;
  readonly indexIsId?: true;
  readonly next: Ref;
  /** What closes the call also where its last braces are missing; seen, not consumed. */
  readonly ends?: Choices | undefined;
  readonly recover: Ref;
}

/** Text with the entry's key in it: [`</`, {hole: 'key'}, `>`]. */
export type KeyedText = readonly (string | { readonly hole: 'key' })[];

/** What surrounds a value: an entry of the arguments, a property or an item of a nested value. */
export interface ValuePlace<Ref> {
  readonly kind: 'entry' | 'property' | 'item';
  /** After the value's frame: `\n</parameter>\n`. */
  readonly close: KeyedText;
  /**
   * What may follow `close`, each a list of texts with white space between them; `{hole: 'key'}` stands
   * for any key. A raw string ends only where one of them follows. Absent means that anything may follow.
   */
  readonly continuations?: readonly KeyedText[];
  /** How another entry shows itself, where it has a marker that text does not have: before its key, and all after it. */
  readonly another?: { readonly open: string; readonly keyEnd: string };
  readonly next: Ref;
}

/** `item`: the next item of a nested array. */
export interface ItemTable<Ref> {
  readonly place: ValuePlace<Ref>;
  /** Where the value begins. */
  readonly next: Ref;
}

/** `nestedEnd`: a value in nested notation is over, up to its place's `close`. */
export interface EndNestedTable<Ref> {
  readonly recover: Ref;
}

/** `argumentsEnd`: no more entries. */
export interface EndArgumentsTable<Ref> {
  readonly next: Ref;
  /** An id may still follow, so the call is completed later. */
  readonly open?: true;
}

/** `value`: a value in one of its frames; those with an opener are tried first. */
export interface ValueTable<Ref> {
  readonly frames: readonly FrameChoice[];
  /** Objects and arrays that are written in the format's own notation, and not as JSON. */
  readonly object?: ContainerOpening<Ref> | undefined;
  readonly array?: ContainerOpening<Ref> | undefined;
  readonly recover: Ref;
}

/** One frame, and the types that are written in it. */
export interface FrameChoice {
  /** Absent means that nothing stands before the value. */
  readonly open?: string;
  readonly close?: string;
  readonly types: readonly JsonType[];
  /** Strings are literals of Python or JSON, not raw text. */
  readonly quoted?: true;
}

/** How an object or an array begins in a format's own notation. */
export interface ContainerOpening<Ref> {
  readonly open: string;
  readonly next: Ref;
  /** The opener belongs to the first element: it is seen, not consumed. */
  readonly peek?: true;
}
