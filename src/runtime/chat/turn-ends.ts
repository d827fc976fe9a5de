/** Where a turn is over, whatever its tokens. */
import type { ChatFormat } from '../../format/chat-format.ts';
import type { ParserPosition } from '../../parser/response-parser.ts';

/** Texts after which the turn is over; one that also is a part of the response's own markers tells nothing. */
export function turnEnds(format: ChatFormat): readonly string[] {
  const markers = markersOf(format);
  return format.stops
    .map((stop) => stop.trimEnd())
    .filter((stop) => stop !== '' && !markers.includes(quoted(stop)));
}

/**
 * What also ends a response, where an answer is written after which nothing can come: ends of messages that elsewhere
 * are markers. Returns those of them that do, of a response that ends in `text`, its latest `length` characters new.
 */
export function answerEnds(format: ChatFormat): (text: string, length: number) => readonly string[] {
  // Where answers before calls have the same opener, nothing tells which is the last.
  if ((format.alternatives?.content ?? []).length === 0) return () => [];
  const known = turnEnds(format);
  const ends = format.turn.ends
    .map((end) => end.trimEnd())
    .filter((end) => end !== '' && !known.includes(end));
  const longest = Math.max(0, ...ends.map((end) => end.length));
  return (text, length) => {
    const latest = text.slice(-(length + longest));
    // Where none is there yet it need not be asked, which takes as long as the answer is.
    return ends.filter((end) => !latest.includes(end) || isLastAnswer(format, text));
  };
}

/**
 * Whether a response whose `text` stands at `position` in free text goes on after `marker`, although the model file
 * calls it an end of generation: in thoughts where it belongs to what closes them, elsewhere where it belongs to any
 * marker of the response and is none of the format's own ends.
 */
export function mayContinue(
  format: ChatFormat,
  { region }: ParserPosition,
  marker: string,
  text: string,
): boolean {
  if (region === 'reasoning') return format.reasoning?.end.includes(marker) === true;
  const ends = region === 'text' && isLastAnswer(format, text) ? format.turn.ends : format.stops;
  const isEnd = ends.some((end) => end.trimEnd().endsWith(marker));
  return !isEnd && markersOf(format).includes(quoted(marker));
}

/** `text` ends in an answer with the format's own opener, after which no call can follow; a preamble has another. */
function isLastAnswer({ content, alternatives = {} }: ChatFormat, text: string): boolean {
  const opened = content.open.trim() === '' ? -1 : text.lastIndexOf(content.open.trim());
  const others = (alternatives.content ?? []).map((open) => text.lastIndexOf(open.trim()));
  return opened >= 0 && others.every((other) => other < opened);
}

function markersOf({ reasoning, content, calls, alternatives = {} }: ChatFormat): string {
  return JSON.stringify([reasoning, content, calls, alternatives]);
}

/** As it stands within JSON. */
function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
