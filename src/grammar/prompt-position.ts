/** Runs the parser over the generation prompt to find where in the turn the grammar must continue. */
import { createResponseParser } from '../codegen/create-response-parser.ts';
import { placeOfState, type TurnPlace } from '../codegen/turn-places.ts';
import type { ChatFormat } from '../format/chat-format.ts';
import type { Tool } from '../format/messages.ts';
import { turnLayout } from '../layout/turn-layout.ts';
import type { ResponseEvent } from '../parser/events.ts';
import { withoutHeader } from '../parser/response-parser.ts';

/** Where in the assistant's turn a prompt ends. */
export interface PromptPosition {
  readonly place: TurnPlace;
  /**
   * Suffix of the prompt that the parser cannot classify yet: the start of a marker (`>>>`) or header, or, inside a
   * call, the whole call so far.
   */
  readonly pending: string;
  /** Suffix of the prompt from the opener of the latest call; tried if the grammar cannot begin with `pending`. */
  readonly laterCall: string;
  /** True if the prompt contains text of the open region. */
  readonly begun: boolean;
  /** The answer as far as the prompt contains it, with what is still pending of it; '' if there is none. */
  readonly answer: string;
  /** True if the prompt ends with the start of the turn, so that the model may still write `turn.lead`. */
  readonly untouched: boolean;
  /** Everything in the prompt after the start of the turn. */
  readonly written: string;
}

/** The position if the prompt contains only the start of the turn. */
export const turnStart: PromptPosition = {
  place: 'start',
  pending: '',
  laterCall: '',
  begun: false,
  answer: '',
  untouched: true,
  written: '',
};

/**
 * Parses `generationPrompt`: the part of the assistant's turn in the prompt, with or without the start of the turn.
 * `tools` must be those of the response's parser.
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
  // Events cover the prompt without gaps, at negative offsets; the text after the last event is pending.
  const readTo = events.at(-1)?.end ?? Number.NEGATIVE_INFINITY;
  const start = turnLayout(format).start.text;
  const prompt = withoutHeader(generationPrompt, start);
  const from = (offset: number): string => prompt.slice(Math.max(0, prompt.length + offset));
  const inCall = place === 'call';
  return {
    place,
    pending: inCall ? from(callsBegin(events)).trimStart() : from(readTo),
    laterCall: inCall && callsOpenedAt !== null ? from(callsOpenedAt) : '',
    begun: begunText(events).trim() !== '',
    answer: place === 'call' ? '' : (begunText(events) + from(readTo)).trimStart(),
    untouched: start !== '' && generationPrompt.endsWith(start),
    written: prompt,
  };
}

/** Offset at which the last region before the calls ends. */
function callsBegin(events: readonly ResponseEvent[]): number {
  const last = events.findLast(({ type }) => type === 'text-delta' || type === 'reasoning-end');
  return last?.end ?? Number.NEGATIVE_INFINITY;
}

/** The answer's text after the last marker. */
function begunText(events: readonly ResponseEvent[]): string {
  const marker = events.findLastIndex(({ type }) => type === 'marker');
  return events
    .slice(marker + 1)
    .map((event) => (event.type === 'text-delta' ? event.delta : ''))
    .join('');
}
