/** Feeding a parser in pieces, and comparing what came out. */

import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { ResponseEvent, ResponseMessage } from '../../src/parser/events.ts';
import type { ResponseModule } from '../../src/parser/module-contract.ts';
import type { ResponseParserOptions } from '../../src/parser/response-parser.ts';
import { mergeEvents } from '../../src/testing/event-log.ts';

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
    if (index === 0) continue;
    for (const event of parser.feed(text.slice(points[index - 1], to))) events.push(event);
  }
  const { events: last, message } = parser.finish();
  return { events: mergeEvents([...events, ...last]), message };
}

/** Every position of a text. */
export function everyPosition(text: string): number[] {
  return Array.from({ length: text.length }, (_, index) => index);
}
