/** The regions of a turn: what opens and closes each, and what may follow. */
import type { ChatFormat, Delimiters, TurnFormat } from '../format/chat-format.ts';
import { Marker, markers } from './marker.ts';

/** The kinds of regions. */
type RegionKind = 'reasoning' | 'content' | 'calls';

/** The markers around something. */
export interface Enclosure {
  readonly open: Marker;
  readonly close: Marker;
  /** The closer up to a restart of the turn, which belongs to the next region. */
  readonly end: Marker;
  /** Whether another turn of the same message begins after `end`. */
  readonly restarts: boolean;
}

/** A region of a turn. */
export interface Region extends Enclosure {
  readonly kind: RegionKind;
  /** `open`, then other spellings of it, which models use and nothing writes. */
  readonly openers: readonly Marker[];
  /** The regions that may follow it. */
  readonly next: readonly RegionKind[];
}

/** Thoughts. */
export type ReasoningRegion = Readonly<NonNullable<ReturnType<typeof reasoningRegion>>>;

/** The answer. */
export type ContentRegion = Readonly<ReturnType<typeof contentRegion>>;

/** A wrapper of the answer. */
export interface Wrapper extends Enclosure {
  /** Its name as a place of the turn. */
  readonly place: 'content' | 'content-with-calls';
}

/** The beginning of a literal, up to a restart of the turn. */
export function upToRestart({ start, restart }: TurnFormat, literal: string): string {
  const { core } = new Marker(start);
  const at = restart && core !== '' ? literal.indexOf(core) : -1;
  return at === -1 ? literal : literal.slice(0, at);
}

/** The markers of `delimiters`. */
export function enclosure({ open, close }: Delimiters, turn: TurnFormat): Enclosure {
  const end = upToRestart(turn, close);
  return {
    open: new Marker(open),
    close: new Marker(close),
    end: new Marker(end),
    restarts: end !== close,
  };
}

/** The region of thoughts; `null` if the format has none. */
export function reasoningRegion(format: ChatFormat) {
  const { reasoning, content, turn, alternatives = {} } = format;
  if (reasoning === null) return null;
  const { start, end, empty, emptyWithCalls = empty } = reasoning;
  const around = enclosure({ open: start, close: end }, turn);
  const gap = new Marker(content.afterReasoning ?? '');
  const region: Region = {
    kind: 'reasoning',
    ...around,
    // White space that only separates thoughts from the answer belongs to their end.
    end: gap.isBlank && !around.restarts ? new Marker(around.end.text + gap.text) : around.end,
    openers: [around.open, ...markers(alternatives.reasoning ?? [])],
    next: format.calls === null ? ['content'] : ['content', 'calls'],
  };
  return {
    ...region,
    /** Only its end is marked, so only that shows whether text was reasoning. */
    endMarked: around.open.isBlank && !around.close.isBlank,
    /** What a message without reasoning has in its place. */
    empty: new Marker(empty),
    /** The same next to calls. */
    emptyWithCalls: new Marker(emptyWithCalls),
  };
}

/** The region of the answer. */
export function contentRegion({ content, turn, alternatives = {} }: ChatFormat) {
  const { withCalls, empty = '', afterReasoning = '', beforeCalls, position } = content;
  const own = enclosure(content, turn);
  const other: readonly Wrapper[] =
    withCalls === null ? [] : [{ place: 'content-with-calls', ...enclosure(withCalls, turn) }];
  const wrappers: readonly [Wrapper, ...Wrapper[]] = [{ place: 'content', ...own }, ...other];
  const region: Region = {
    kind: 'content',
    ...own,
    openers: [own.open, ...markers(alternatives.content ?? [])],
    // Where regions have headers, calls follow the text in the markers that it has next to them.
    next: position === 'before-calls' && !(turn.restart && withCalls !== null) ? ['calls'] : [],
  };
  return {
    ...region,
    /** The answer's own markers, then those that it has only next to calls, if they differ. */
    wrappers,
    /** What a message that only has calls contains in place of an answer. */
    empty: new Marker(empty),
    /** Before the answer, only after thoughts. */
    afterReasoning: new Marker(afterReasoning),
    /** Between an answer and the calls next to it. */
    beforeCalls: new Marker(beforeCalls),
    /** Where the history has an answer that comes with calls. */
    position,
  };
}
