/** Runs the parser over the generation prompt to find where in the turn the grammar must continue. */
import type { StateName } from '../codegen/states.ts';
import type { ChatFormat } from '../format/chat-format.ts';
import type { Tool } from '../format/messages.ts';
import { turnLayout } from '../layout/turn-layout.ts';
import type { ResponseEvent } from '../parser/events.ts';
import type { ResponseModule } from '../parser/module-contract.ts';
import { createModuleParser, withoutHeader } from '../parser/module-parser.ts';
import { type PromptPosition, type TurnPlace, turnStart } from './prompt-position.ts';

/**
 * Parses `generationPrompt`: the part of the assistant's turn in the prompt, with or without the start of the turn.
 * `reader` reads responses of the format; `tools` must be those of the response's parser.
 */
export function readPromptPosition(
  format: ChatFormat,
  reader: ResponseModule,
  generationPrompt: string,
  tools: readonly Tool[],
): PromptPosition {
  if (generationPrompt === '') return turnStart;
  const parser = createModuleParser(reader, { tools, generationPrompt, markers: true });
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

/** For each state of a parser, what part of the turn is open. */
const placesOfStates: ReadonlyMap<StateName, TurnPlace> = new Map([
  ['atTurnStart', 'start'],
  ['inHeader', 'start'],
  ['inReasoning', 'reasoning'],
  ['maybeCall', 'reasoning'],
  // It counts as the answer until the end of thoughts comes.
  ['maybeReasoning', 'answer'],
  ['afterReasoning', 'answer'],
  ['inAnswer', 'answer'],
  ['maybeCalls', 'answer'],
  ['afterContent', 'answer'],
  ['afterCalls', 'answer'],
  ['inContent', 'content'],
  ['inContentWithCalls', 'content-with-calls'],
  ['betweenTurns', 'between-turns'],
  ['turnEnded', 'ended'],
  ['afterTurn', 'ended'],
]);

/** The part of the turn in a state; states not listed belong to calls. */
function placeOfState(name: StateName): TurnPlace {
  return placesOfStates.get(name) ?? 'call';
}
