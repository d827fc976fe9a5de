/** Feeding a parser in pieces, and comparing what came out. */
import type { ChatFormat } from '../../src/chat-format.ts';
import { createResponseParser } from '../../src/create-response-parser.ts';
import type { ResponseEvent, ResponseMessage } from '../../src/runtime/events.ts';
import type { ResponseModule } from '../../src/runtime/module-contract.ts';
import type { ResponseParserOptions } from '../../src/runtime/response-parser.ts';

/** Events and message of one response. */
export interface Parsed {
  readonly events: readonly ResponseEvent[];
  readonly message: ResponseMessage;
}

/** Parses `text`, cut at the given positions. */
export function parsePieces(
  format: ChatFormat | ResponseModule,
  text: string,
  cuts: readonly number[],
  options?: ResponseParserOptions,
): Parsed {
  const parser = createResponseParser(format, options);
  const inner = [...new Set(cuts)].filter((cut) => cut > 0 && cut < text.length);
  const points = [0, ...inner.sort((a, b) => a - b), text.length];
  const events: ResponseEvent[] = [];
  for (const [index, to] of points.entries()) {
    if (index > 0) events.push(...parser.feed(text.slice(points[index - 1], to)));
  }
  const { events: last, message } = parser.finish();
  return { events: mergeEvents([...events, ...last]), message };
}

/** Neighbouring deltas and markers joined: the part of the events that must not depend on the cut. */
export function mergeEvents(events: readonly ResponseEvent[]): ResponseEvent[] {
  const merged: ResponseEvent[] = [];
  for (const event of events) {
    const last = merged.at(-1);
    const joined = last === undefined ? null : join(last, event);
    if (joined === null) merged.push(event);
    else merged[merged.length - 1] = joined;
  }
  return merged;
}

function join(last: ResponseEvent, next: ResponseEvent): ResponseEvent | null {
  if (last.type === 'marker' && next.type === 'marker') {
    return { ...last, text: last.text + next.text, end: next.end };
  }
  if (!('delta' in last) || !('delta' in next) || last.type !== next.type || last.id !== next.id) return null;
  return { ...last, delta: last.delta + next.delta, end: next.end };
}

/** Every position of a text. */
export function everyPosition(text: string): number[] {
  return Array.from({ length: text.length }, (_, index) => index);
}
