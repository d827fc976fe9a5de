/** The texts that end a turn, or one of several turns of a message. */
import type { ChatFormat } from '../format/chat-format.ts';
import { coresOf, type Marker, markers } from './marker.ts';
import { upToRestart } from './regions.ts';

/** The ends of a format's turns. */
export interface TurnEnds {
  /** Texts that end a turn; the first is what the template writes last. */
  readonly ends: readonly Marker[];
  /** Ends as they arrive from engines that do not deliver the token that ends generation. */
  readonly cutEnds: readonly Marker[];
  /** Other texts that end a turn inside a message, before its next turn begins. */
  readonly breaks: readonly Marker[];
}

/** The ends of turns in `format`. */
export function turnEnds(format: ChatFormat): TurnEnds {
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
