/** The texts that end a turn, however they are tokenised. */
import type { ChatFormat } from '../../../format/chat-format.ts';
import type { Marker } from '../../../layout/marker.ts';
import { type TurnLayout, turnLayout } from '../../../layout/turn-layout.ts';
import type { ParserPosition } from '../../../parser/response-parser.ts';
import type { OpenEnd } from './stop-watch.ts';

/** Texts that end the turn, except those that also occur in markers of the response. */
export function turnEnds(format: ChatFormat): readonly string[] {
  const { stops, holds } = turnLayout(format);
  return textsOf(stops).filter((stop) => !holds(stop));
}

/** Ends of the turn that may also begin a call; the following text decides. */
export function openEnds(format: ChatFormat): readonly OpenEnd[] {
  const { calls, stops } = turnLayout(format);
  // White space at the end of an opener belongs to the text after it.
  const openers = (calls?.openers ?? []).map(({ core }) => core);
  return textsOf(stops).flatMap((text) => {
    const begun = openers.filter((opener) => opener.startsWith(text) && opener !== text);
    return begun.length === 0 ? [] : [{ text, unless: begun.map((opener) => opener.slice(text.length)) }];
  });
}

/**
 * Ends of messages that are also markers, but end the response after an answer that nothing can follow. Returns a
 * function that selects those that end a response with the text `text`, its last `length` characters new.
 */
export function answerEnds(format: ChatFormat): (text: string, length: number) => readonly string[] {
  // If answers before calls have the same opener, the last answer cannot be recognised.
  const layout = turnLayout(format);
  if (layout.content.openers.length === 1) return () => [];
  const known = turnEnds(format);
  const ends = textsOf(layout.ends).filter((end) => !known.includes(end));
  const longest = Math.max(0, ...ends.map((end) => end.length));
  return (text, length) => {
    const latest = text.slice(-(length + longest));
    // `isLastAnswer` searches the whole answer, so it is only called after an end.
    return ends.filter((end) => !latest.includes(end) || isLastAnswer(layout, text));
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
  const layout = turnLayout(format);
  if (region === 'reasoning') return layout.reasoning?.close.text.includes(marker) === true;
  const ends = region === 'text' && isLastAnswer(layout, text) ? layout.ends : layout.stops;
  const opens = openEnds(format);
  const isEnd = ends
    .map(({ upToCore }) => upToCore)
    .some((end) => end.endsWith(marker) && !opens.some(({ text: open }) => open === end));
  return !isEnd && layout.holds(marker);
}

/** Whether `text` ends with an answer that no call can follow, recognised by its opener, which preambles lack. */
function isLastAnswer({ content: { open, openers } }: TurnLayout, text: string): boolean {
  const opened = open.isBlank ? -1 : text.lastIndexOf(open.core);
  const others = openers.slice(1).map(({ core }) => text.lastIndexOf(core));
  return opened >= 0 && others.every((other) => other < opened);
}

/** Without the white space after them, and without blank ones. */
function textsOf(ends: readonly Marker[]): readonly string[] {
  return ends.filter(({ isBlank }) => !isBlank).map(({ upToCore }) => upToCore);
}
