/** The markers of a turn, except those of its calls. */
import type { ChatFormat } from '../format/chat-format.ts';
import type { LeniencyLaw } from '../parser/events.ts';
import {
  distinctCores,
  isBlank,
  isSignificant,
  notBlank,
  significantLength,
  withoutRestart,
} from './marker-text.ts';
import { choicesOf, type MarkerChoice, type StateName } from './states.ts';

/** The markers of a turn. A list is empty if the format has no such marker. */
export interface TurnPlan {
  readonly format: ChatFormat;
  /** Every region of the turn has a header, so calls may only begin where a turn begins. */
  readonly headed: boolean;
  /** The end of every header; `null` if regions have none, or a call's header continues after it. */
  readonly headerEnd: string | null;
  /** Beginnings of a region's header, including the word after it; they end a turn that was not closed. */
  readonly headerStart: readonly MarkerChoice[];
  /** Where the ends of the turn lead. */
  readonly afterTurn: StateName;
  /** The beginning of the turn, in case it is repeated. */
  readonly turnStart: readonly MarkerChoice[];
  /** The last marker of that beginning: models repeat it when the prompt already ends with it. */
  readonly repeatedStart: readonly MarkerChoice[];
  /** Ends of the turn and, at the end of the text, ends whose last token was not delivered. */
  readonly turnEnds: readonly MarkerChoice[];
  /** Reasoning has only an end marker, so only that shows whether text was reasoning. */
  readonly endMarked: boolean;
  readonly reasoningStart: readonly MarkerChoice[];
  /** Openers of reasoning in the middle of an answer. */
  readonly laterReasoning: readonly MarkerChoice[];
  readonly reasoningEnd: readonly MarkerChoice[];
  /** The end of reasoning that was never opened: there is none. */
  readonly strayReasoningEnd: readonly MarkerChoice[];
  /** The text for absent reasoning, if it is more than the two markers. */
  readonly emptyReasoning: readonly MarkerChoice[];
  /** Openers of content that has markers of its own. */
  readonly contentStart: readonly MarkerChoice[];
  /** Beginnings of a tool's result. After calls, they end the turn. */
  readonly resultStart: readonly MarkerChoice[];
  /** Markers of results, and ends of thoughts, that do not occur in prose. In an answer they are skipped. */
  readonly strayMarkers: readonly MarkerChoice[];
}

/** The plan of a format's turn. */
export function planTurn(format: ChatFormat): TurnPlan {
  const { reasoning, turn, content, results } = format;
  const headed = turn.restart && !isBlank(content.open);
  const afterTurn = turn.restart ? 'betweenTurns' : 'turnEnded';
  const reasoningEnd = reasoningEnds(format);
  return {
    format,
    headed,
    headerEnd: headed ? headerEnd(format) : null,
    headerStart: headed && headerEnd(format) !== null ? headerStart(format) : [],
    afterTurn,
    turnStart: choicesOf(
      'turnStart',
      [isBlank(turn.start) ? '' : turn.start + (turn.lead ?? '')],
      'atTurnStart',
    ),
    repeatedStart: choicesOf('repeatedStart', [lastMarker(turn.start)], 'atTurnStart'),
    turnEnds: turnEnds(format, afterTurn),
    endMarked: reasoning !== null && isBlank(reasoning.start) && !isBlank(reasoning.end),
    reasoningStart: choicesOf('reasoningStart', [reasoning?.start ?? ''], 'inReasoning', { role: 'thought' }),
    laterReasoning: headed ? [] : laterReasoning(reasoning?.start ?? ''),
    reasoningEnd: reasoningEnd.map((choice) => ({ ...choice, role: 'thought' })),
    strayReasoningEnd: reasoningEnd.map((choice) => ({ ...choice, name: 'strayReasoningEnd' })),
    emptyReasoning: choicesOf('emptyReasoning', emptyReasoning(format), 'afterReasoning'),
    contentStart: [
      ...choicesOf('contentStart', [content.open], 'inContent'),
      ...choicesOf('contentStartWithCalls', [content.withCalls?.open ?? ''], 'inContentWithCalls'),
    ],
    resultStart: choicesOf('resultStart', results?.open ?? [], 'turnEnded'),
    strayMarkers: strayMarkers(format, reasoningEnd),
  };
}

/** Prose may mention a tag of a plain word, so in an answer it counts only as a special token. */
function laterReasoning(start: string): readonly MarkerChoice[] {
  const markers = isSignificant(start) ? [start] : [];
  const condition = /^<[\w:-]+>/.test(start.trim()) ? { onlyAsSpecialToken: true as const } : {};
  return choicesOf('laterReasoning', markers, 'inReasoning', { role: 'thought', ...condition });
}

/** Markers with the bars of special tokens, in ASCII or full width, except those that begin an end of the turn. */
function strayMarkers(
  { results, turn }: ChatFormat,
  reasoningEnd: readonly MarkerChoice[],
): readonly MarkerChoice[] {
  const isStray = (marker: string) =>
    /^<[|｜]|[|｜]>$/.test(marker.trim()) && !turn.ends.some((end) => end.trim().startsWith(marker.trim()));
  const stray = (markers: readonly string[], repairs: LeniencyLaw) =>
    choicesOf('strayMarker', markers.filter(isStray), 'inAnswer', { passes: true, repairs });
  return [
    ...stray([...(results?.open ?? []), ...(results?.close ?? [])], 'result-marker'),
    ...stray(
      reasoningEnd.map(({ marker }) => marker.trim()),
      'special-token',
    ),
  ];
}

/** The last marker of a turn's beginning; empty if there is no other. */
function lastMarker(start: string): string {
  const last = /<[^<>\s]+>\s*$/.exec(start)?.[0] ?? '';
  return last === start ? '' : last;
}

/** The common end of the openers of reasoning and content. */
function headerEnd({ reasoning, content, calls }: ChatFormat): string | null {
  if (reasoning === null) return null;
  const [left, right] = [reasoning.start.trim(), content.open.trim()];
  let length = 0;
  while (length < left.length && left.at(-1 - length) === right.at(-1 - length)) length++;
  const end = left.slice(left.length - length);
  if (length < significantLength || length === left.length) return null;
  if (calls === null) return end;
  // A call's header has the same end if its head is a name between two literals.
  const last = calls.head.at(-1);
  const holes = calls.head.flatMap((part) => (typeof part === 'string' ? [] : [part.hole]));
  const isName = calls.envelope === null && holes.join() === 'name' && typeof last === 'string';
  return isName && last.trim().endsWith(end) ? end : null;
}

/** The common beginning of the openers of reasoning and content, with each word that may follow it. */
function headerStart({ reasoning, content, calls }: ChatFormat): readonly MarkerChoice[] {
  const [token = ''] = /^(?:<[^<>\s]+>|\W\w+\W)/.exec(content.open.trim()) ?? [];
  const head = (calls?.head ?? []).filter((part) => typeof part === 'string');
  const literals = [reasoning?.start ?? '', content.open, content.withCalls?.open ?? '', ...head];
  const headers = literals.map((text) => text.trim()).filter((literal) => literal.startsWith(token));
  const markers = headers.flatMap((header) => {
    const [word = ''] = /^\w+/.exec(header.slice(token.length)) ?? [];
    return word === '' ? [] : [token + word];
  });
  return choicesOf('headerStart', token === '' ? [] : [...new Set(markers)], 'atTurnStart', {
    peek: true,
    role: 'thought',
    repairs: 'unclosed',
  });
}

function turnEnds(format: ChatFormat, next: StateName): readonly MarkerChoice[] {
  const { turn, stops } = format;
  const ends = notBlank(turn.ends);
  const known = new Set(ends.map((text) => text.trim()));
  const undelivered = ends.flatMap((end) => [
    ...distinctCores(stops)
      .filter((stop) => end.trim().endsWith(stop) && end.trim() !== stop)
      .map((stop) => end.trim().slice(0, -stop.length)),
    ...withoutLastTokens(end.trim()),
  ]);
  const isNew = (marker: string) => !known.has(marker.trim());
  const cut = [...new Set(undelivered)].filter(isNew);
  return [
    ...choicesOf('turnBreak', turnBreaks(format).filter(isNew), next),
    ...choicesOf('turnEnd', ends, next),
    ...choicesOf('turnEndCut', cut, next, { onlyAtEnd: true }),
  ];
}

/** An end of several tokens without the last one or two: engines do not deliver the token that ends generation. */
function withoutLastTokens(end: string): readonly string[] {
  const tokens = end.match(/<[^<>\s]+>|[^<]+|</g) ?? [];
  return [1, 2].map((lost) => tokens.slice(0, -lost).join('')).filter(isSignificant);
}

/** Texts that end a turn inside a message, before its next turn begins. */
function turnBreaks(format: ChatFormat): readonly string[] {
  const { reasoning, content, calls } = format;
  const literals = [reasoning?.end, content.close, content.beforeCalls, calls?.separator, calls?.call.close];
  const breaks = literals.flatMap((literal = '') => {
    const end = withoutRestart(format, literal);
    return end === literal ? [] : [end];
  });
  return [...new Set(breaks)];
}

function reasoningEnds(format: ChatFormat): readonly MarkerChoice[] {
  const { reasoning, content } = format;
  if (reasoning === null) return [];
  const end = withoutRestart(format, reasoning.end);
  if (end !== reasoning.end) return choicesOf('reasoningEnd', [end], 'betweenTurns');
  const { afterReasoning: gap = '' } = content;
  return isBlank(end) ? [] : choicesOf('reasoningEnd', [end + (isBlank(gap) ? gap : '')], 'afterReasoning');
}

/** The texts for absent thoughts, unless they begin with a marker of thoughts. */
function emptyReasoning(format: ChatFormat): readonly string[] {
  const { reasoning } = format;
  if (reasoning === null) return [];
  const markers = distinctCores([reasoning.start, withoutRestart(format, reasoning.end)]);
  return [reasoning.empty, reasoning.emptyWithCalls ?? ''].filter(
    (text) => !markers.some((marker) => text.trim().startsWith(marker)),
  );
}
