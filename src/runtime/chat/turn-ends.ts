/** Where a turn is over, whatever its tokens. */
import type { ChatFormat } from '../../format/chat-format.ts';

/** Texts after which the turn is over; one that also is a part of the response's own markers tells nothing. */
export function turnEnds({
  stops,
  reasoning,
  content,
  calls,
  alternatives = {},
}: ChatFormat): readonly string[] {
  const markers = JSON.stringify([reasoning, content, calls, alternatives]);
  return stops
    .map((stop) => stop.trimEnd())
    .filter((stop) => stop !== '' && !markers.includes(JSON.stringify(stop).slice(1, -1)));
}
