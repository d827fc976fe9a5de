/** The texts at which a turn ends, however they are cut into tokens. */
import { markerPlan } from '../../../codegen/marker-plan.ts';
import type { ChatFormat } from '../../../format/chat-format.ts';
import type { ParserPosition } from '../../../parser/response-parser.ts';
import type { OpenEnd } from './stop-watch.ts';

/** Texts after which the turn is over, without those that also occur in markers of the response. */
export function turnEnds(format: ChatFormat): readonly string[] {
  const markers = markersOf(format);
  return format.stops
    .map((stop) => stop.trimEnd())
    .filter((stop) => stop !== '' && !markers.includes(quoted(stop)));
}

/** Ends of the turn that may also begin a call: only what follows tells the two apart. */
export function openEnds(format: ChatFormat): readonly OpenEnd[] {
  const { calls } = markerPlan(format);
  const openers = calls === null ? [] : [calls.opener, ...calls.otherOpeners];
  return format.stops.flatMap((stop) => {
    const text = stop.trimEnd();
    const begun = openers.filter((opener) => opener.startsWith(text) && opener.trimEnd() !== text);
    // White space at the end of an opener belongs to what follows it.
    const unless = begun.map((opener) => opener.slice(text.length).trimEnd());
    return text === '' || unless.length === 0 ? [] : [{ text, unless }];
  });
}

/**
 * Ends of messages that are markers elsewhere, but end the response after an answer that nothing can follow. Returns
 * which of them end a response that so far is `text`, its last `length` characters new.
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
    // `isLastAnswer` searches the whole answer, so it is asked only when an end has come.
    return ends.filter((end) => !latest.includes(end) || isLastAnswer(format, text));
  };
}

/**
 * Whether free text `text`, at the parser's position, continues after `marker`, although the model file marks that as
 * an end of generation: in reasoning, if it is part of what closes reasoning; elsewhere, if it is part of a marker of
 * the response and not one of the format's own ends, or if what follows it has to decide (`openEnds`).
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

/** Whether `text` ends in an answer that no call can follow: it has the format's own opener, preambles have others. */
function isLastAnswer({ content, alternatives = {} }: ChatFormat, text: string): boolean {
  const opened = content.open.trim() === '' ? -1 : text.lastIndexOf(content.open.trim());
  const others = (alternatives.content ?? []).map((open) => text.lastIndexOf(open.trim()));
  return opened >= 0 && others.every((other) => other < opened);
}

function markersOf({ reasoning, content, calls, alternatives = {} }: ChatFormat): string {
  return JSON.stringify([reasoning, content, calls, alternatives]);
}

/** The text as it is written within JSON. */
function quoted(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
