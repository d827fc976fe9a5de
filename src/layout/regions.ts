/** The regions of a turn: what opens and closes each, and what may follow. */
import type { ChatFormat, ContentFormat, Delimiters, TurnFormat } from '../format/chat-format.ts';
import { Marker, markers } from './marker.ts';

/** The kinds of regions. */
export type RegionKind = 'reasoning' | 'content' | 'calls';

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
export interface ReasoningRegion extends Region {
  readonly kind: 'reasoning';
  /** Only its end is marked, so only that shows whether text was reasoning. */
  readonly endMarked: boolean;
  /** What a message without reasoning has in its place. */
  readonly empty: Marker;
  /** The same next to calls. */
  readonly emptyWithCalls: Marker;
}

/** A wrapper of the answer. */
export interface Wrapper extends Enclosure {
  /** Its name as a place of the turn. */
  readonly place: 'content' | 'content-with-calls';
}

/** The answer. */
export interface ContentRegion extends Region {
  readonly kind: 'content';
  /** The answer's own markers, then those that it has only next to calls, if they differ. */
  readonly wrappers: readonly [Wrapper, ...Wrapper[]];
  /** What a message that only has calls contains in place of an answer. */
  readonly empty: Marker;
  /** Before the answer, only after thoughts. */
  readonly afterReasoning: Marker;
  /** Between an answer and the calls next to it. */
  readonly beforeCalls: Marker;
  /** Where the history has an answer that comes with calls. */
  readonly position: ContentFormat['position'];
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
export function reasoningRegion(format: ChatFormat): ReasoningRegion | null {
  const { reasoning, content, turn, alternatives = {} } = format;
  if (reasoning === null) return null;
  const { start, end, empty, emptyWithCalls = empty } = reasoning;
  const around = enclosure({ open: start, close: end }, turn);
  const gap = new Marker(content.afterReasoning ?? '');
  return {
    kind: 'reasoning',
    ...around,
    // White space that only separates thoughts from the answer belongs to their end.
    end: gap.isBlank && !around.restarts ? new Marker(around.end.text + gap.text) : around.end,
    openers: [around.open, ...markers(alternatives.reasoning ?? [])],
    next: format.calls === null ? ['content'] : ['content', 'calls'],
    endMarked: around.open.isBlank && !around.close.isBlank,
    empty: new Marker(empty),
    emptyWithCalls: new Marker(emptyWithCalls),
  };
}

/** The region of the answer. */
export function contentRegion({ content, turn, alternatives = {} }: ChatFormat): ContentRegion {
  const { withCalls, empty = '', afterReasoning = '', beforeCalls, position } = content;
  const own = enclosure(content, turn);
  const other: readonly Wrapper[] =
    withCalls === null ? [] : [{ place: 'content-with-calls', ...enclosure(withCalls, turn) }];
  return {
    kind: 'content',
    ...own,
    openers: [own.open, ...markers(alternatives.content ?? [])],
    next: position === 'before-calls' ? ['calls'] : [],
    wrappers: [{ place: 'content', ...own }, ...other],
    empty: new Marker(empty),
    afterReasoning: new Marker(afterReasoning),
    beforeCalls: new Marker(beforeCalls),
    position,
  };
}
