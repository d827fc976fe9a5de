/**
 * The layout of a turn: its regions in order, with the markers of each as objects, and what follows from them. It is
 * made once from a format; what writes, reads or constrains responses is made from it.
 *
 *     start lead  reasoning  content  calls  end
 */
import type { ChatFormat } from '../format/chat-format.ts';
import { memoize } from '../format/memoize.ts';
import { type CallOpeners, callOpeners } from './call-openers.ts';
import { type CallsRegion, callsRegion } from './calls-region.ts';
import { type Header, headerOf } from './header.ts';
import { coresOf, Marker, markers, markersOf } from './marker.ts';
import {
  type ContentRegion,
  contentRegion,
  type ReasoningRegion,
  type Region,
  reasoningRegion,
  upToRestart,
} from './regions.ts';

/** The calls of a layout, and what opens them. */
export type CallsLayout = CallsRegion & CallOpeners;

/** The layout of a format's turns. */
export interface TurnLayout extends TurnEnds {
  /** What every turn and every generation prompt begin with. */
  readonly start: Marker;
  /** What every finished turn has after `start`, while the generation prompt leaves it to the model. */
  readonly lead: Marker;
  /** The last marker of `start`: models repeat it when the prompt already ends with it. Blank if there is no other. */
  readonly lastOfStart: Marker;
  /** One message may have several turns: an end and `start` recur between its regions. */
  readonly restarts: boolean;
  /** Every region of the turn has a header, so calls may only begin where a turn begins. */
  readonly headed: boolean;
  /** The headers, if a call's header does not continue after their common end. */
  readonly header: Header | null;
  /** What the generation prompt adds after `start`, by the setting of thinking. */
  readonly prompt: Readonly<Record<'unset' | 'on' | 'off', Marker>>;
  /** The regions that follow, in the order of a finished turn. */
  readonly regions: readonly Region[];
  /** `null` if the format has no reasoning. */
  readonly reasoning: ReasoningRegion | null;
  readonly content: ContentRegion;
  /** `null` if the format has no calls. */
  readonly calls: CallsLayout | null;
  /** Markers around a tool's result. */
  readonly results: { readonly open: readonly Marker[]; readonly close: readonly Marker[] };
  /** Texts at which generation ends. */
  readonly stops: readonly Marker[];
  /** Special tokens and marker texts that must reach the parser as text. */
  readonly preserved: readonly Marker[];
  /** Whether `text` occurs in a region's markers. */
  readonly holds: (text: string) => boolean;
}

/** The layout of a format; made once per format. */
export const turnLayout = memoize((format: ChatFormat): TurnLayout => {
  const { turn, results } = format;
  const content = contentRegion(format);
  const headed = turn.restart && !content.open.isBlank;
  const header = headed ? headerOf(format) : null;
  const reasoning = reasoningRegion(format);
  const calls =
    format.calls === null ? null : callsLayout(callsRegion(format, format.calls, content, header));
  const answer = calls?.next.includes('content') ? [calls, content] : [content, calls];
  return {
    ...turnEnds(format),
    start: new Marker(turn.start),
    lead: new Marker(turn.lead ?? ''),
    lastOfStart: lastMarker(turn.start),
    restarts: turn.restart,
    headed,
    header,
    prompt: markersOf(turn.prompt),
    regions: [reasoning, ...answer].filter((region) => region !== null),
    reasoning,
    content,
    calls,
    results: { open: markers(results?.open ?? []), close: markers(results?.close ?? []) },
    stops: markers(format.stops),
    preserved: markers(format.preservedTokens),
    holds: (text) => regionTexts(format).some((each) => each.includes(text)),
  };
});

function callsLayout(region: CallsRegion): CallsLayout {
  return { ...region, ...callOpeners(region) };
}

function lastMarker(start: string): Marker {
  const last = /<[^<>\s]+>\s*$/.exec(start)?.[0] ?? '';
  return new Marker(last === start ? '' : last);
}

/** All texts of a format's regions. */
const regionTexts = memoize(({ reasoning, content, calls, alternatives }: ChatFormat): readonly string[] =>
  textsIn([reasoning, content, calls, alternatives]),
);

function textsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The ends of a format's turns. */
interface TurnEnds {
  /** Texts that end a turn; the first is what the template writes last. */
  readonly ends: readonly Marker[];
  /** Ends as they arrive from engines that do not deliver the token that ends generation. */
  readonly cutEnds: readonly Marker[];
  /** Other texts that end a turn inside a message, before its next turn begins. */
  readonly breaks: readonly Marker[];
}

/** The ends of turns in `format`. */
function turnEnds(format: ChatFormat): TurnEnds {
  const ends = markers(format.turn.ends);
  const known = new Set(coresOf(ends));
  const stops = coresOf(markers(format.stops));
  const cut = coresOf(ends).flatMap((end) => [
    ...stops.filter((stop) => end.endsWith(stop) && end !== stop).map((stop) => end.slice(0, -stop.length)),
    ...withoutLastTokens(end),
  ]);
  const others = (texts: readonly string[]) =>
    markers([...new Set(texts)]).filter(({ core, isBlank }) => !isBlank && !known.has(core));
  return { ends, cutEnds: others(cut), breaks: others(turnBreaks(format)) };
}

/** An end of several tokens without the last one or two. */
function withoutLastTokens(end: string): readonly string[] {
  const tokens = end.match(/<[^<>\s]+>|[^<]+|</g) ?? [];
  return markers([1, 2].map((lost) => tokens.slice(0, -lost).join('')))
    .filter(({ isSignificant }) => isSignificant)
    .map(({ text }) => text);
}

function turnBreaks({ turn, reasoning, content, calls }: ChatFormat): readonly string[] {
  const literals = [reasoning?.end, content.close, content.beforeCalls, calls?.separator, calls?.call.close];
  return literals.flatMap((literal = '') => {
    const end = upToRestart(turn, literal);
    return end === literal ? [] : [end];
  });
}
