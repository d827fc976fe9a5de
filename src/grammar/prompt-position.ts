/** Where the generation prompt has left the assistant's turn, as the parser reads it: a grammar goes on from there. */
import { createResponseParser } from '../codegen/create-response-parser.ts';
import { placeOfState, type TurnPlace } from '../codegen/turn-places.ts';
import type { ChatFormat } from '../format/chat-format.ts';
import type { Tool } from '../format/messages.ts';
import type { ResponseEvent } from '../parser/events.ts';
import { withoutHeader } from '../parser/response-parser.ts';

/** Where in the assistant's turn a prompt ends. */
export interface PromptPosition {
  readonly place: TurnPlace;
  /**
   * The end of the prompt that the parser has not settled yet, because it depends on what follows: the
   * beginning of a marker (`>>>`), of a header, or, inside a call, all of the call so far.
   */
  readonly pending: string;
  /** Other beginnings of the open call, to be tried where `pending` does not begin a call: the last of several calls. */
  readonly laterCall: string;
  /** The prompt wrote text of the region that is open. */
  readonly begun: boolean;
  /** The prompt wrote nothing after the start of the turn, so that a model may still write `turn.lead`. */
  readonly untouched: boolean;
  /** All that the prompt wrote of the turn after its start. */
  readonly written: string;
}

/** The position where the prompt wrote nothing but the start of the turn. */
export const turnStart: PromptPosition = {
  place: 'start',
  pending: '',
  laterCall: '',
  begun: false,
  untouched: true,
  written: '',
};

/**
 * Reads `generationPrompt` (all that the prompt wrote of the assistant's turn, with or without the turn's
 * start) with the format's parser. `tools` are those that the response's parser knows.
 */
export function readPromptPosition(
  format: ChatFormat,
  generationPrompt: string,
  tools: readonly Tool[],
): PromptPosition {
  if (generationPrompt === '') return turnStart;
  const parser = createResponseParser(format, { tools, generationPrompt, markers: true });
  const events = parser.feed('');
  const { state, callsOpenedAt } = parser.position;
  const place = placeOfState(state);
  // Events tile the text, at negative offsets: what lies after the last one waits for more.
  const readTo = events.at(-1)?.end ?? Number.NEGATIVE_INFINITY;
  const prompt = withoutHeader(generationPrompt, format.turn.start);
  const from = (offset: number): string => prompt.slice(Math.max(0, prompt.length + offset));
  const inCall = place === 'call';
  return {
    place,
    pending: inCall ? from(callsBegin(events)).trimStart() : from(readTo),
    laterCall: inCall && callsOpenedAt !== null ? from(callsOpenedAt) : '',
    begun: hasText(events),
    untouched: format.turn.start !== '' && generationPrompt.endsWith(format.turn.start),
    written: prompt,
  };
}

/** Where the text of the last region before the calls ends. */
function callsBegin(events: readonly ResponseEvent[]): number {
  const last = events.findLast(({ type }) => type === 'text-delta' || type === 'reasoning-end');
  return last?.end ?? Number.NEGATIVE_INFINITY;
}

/** Whether answer text that is more than white space stands after the last marker. */
function hasText(events: readonly ResponseEvent[]): boolean {
  const marker = events.findLastIndex(({ type }) => type === 'marker');
  return events.slice(marker + 1).some((event) => event.type === 'text-delta' && event.delta.trim() !== '');
}
