/** The texts that end a turn, however they are tokenised. */
import { markerPlan } from '../../../codegen/marker-plan.ts';
import type { ChatFormat } from '../../../format/chat-format.ts';
import type { ParserPosition } from '../../../parser/response-parser.ts';
import type { OpenEnd } from './stop-watch.ts';

/** Texts that end the turn, except those that also occur in markers of the response. */
export function turnEnds(format: ChatFormat): readonly string[] {
  const markers = markersOf(format);
  return format.stops
    .map((stop) => stop.trimEnd())
    .filter((stop) => stop !== '' && !markers.includes(quoted(stop)));
}

/** Ends of the turn that may also begin a call; the following text decides. */
export function openEnds(format: ChatFormat): readonly OpenEnd[] {
  const { calls } = markerPlan(format);
  const openers = calls === null ? [] : [calls.opener, ...calls.otherOpeners];
  return format.stops.flatMap((stop) => {
    const text = stop.trimEnd();
    const begun = openers.filter((opener) => opener.startsWith(text) && opener.trimEnd() !== text);
    // White space at the end of an opener belongs to the text after it.
    const unless = begun.map((opener) => opener.slice(text.length).trimEnd());
    return text === '' || unless.length === 0 ? [] : [{ text, unless }];
  });
}

/**
 * Ends of messages that are also markers, but end the response after an answer that nothing can follow. Returns a
 * function that selects those that end a response with the text `text`, its last `length` characters new.
 */
export function answerEnds(format: ChatFormat): (text: string, length: number) => readonly string[] {
  // If answers before calls have the same opener, the last answer cannot be recognised.
  if ((format.alternatives?.content ?? []).length === 0) return () => [];
  const known = turnEnds(format);
  const ends = format.turn.ends
    .map((end) => end.trimEnd())
    .filter((end) => end !== '' && !known.includes(end));
  const longest = Math.max(0, ...ends.map((end) => end.length));
  return (text, length) => {
    const latest = text.slice(-(length + longest));
    // `isLastAnswer` searches the whole answer, so it is only called after an end.
    return ends.filter((end) => !latest.includes(end) || isLastAnswer(format, text));
  };
}

/**
 * Whether free text `text`, at the parser's position, continues after `marker`, although the model file declares that
 * to be an end of generation: inside reasoning, if it is part of the end of reasoning; elsewhere, if it is part of a
 * marker of the response and not one of the format's own ends, or if the following text decides (`openEnds`).
 */
export function mayContinue(
  format: ChatFormat,
  { region }: ParserPosition,
  marker: string,
  text: string,
): boolean {
  if (region === 'reasoning') return format.reasoning?.end.includes(marker) === true;
  const ends = region === 'text' && isLastAnswer(format, text) ? format.turn.ends : format.stops;
  const opens = openEnds(format);
  const isEnd = ends
    .map((end) => end.trimEnd())
    .some((end) => end.endsWith(marker) && !opens.some(({ text: open }) => open === end));
  return !isEnd && markersOf(format).includes(quoted(marker));
}

/** Whether `text` ends with an answer that no call can follow, recognised by its opener, which preambles lack. */
function isLastAnswer({ content, alternatives = {} }: ChatFormat, text: string): boolean {
  const opened = content.open.trim() === '' ? -1 : text.lastIndexOf(content.open.trim());
  const others = (alternatives.content ?? []).map((open) => text.lastIndexOf(open.trim()));
  return opened >= 0 && others.every((other) => other < opened);
}

function markersOf({ reasoning, content, calls, alternatives = {} }: ChatFormat): string {
  return JSON.stringify([reasoning, content, calls, alternatives]);
}

/** The text as written inside a JSON string. */
function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
