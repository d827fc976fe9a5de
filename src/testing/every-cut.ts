/** Reads one response at every cut: in all ways in which an engine may deliver it. */
import { isRecord, type OptionRule, requireOption } from '../format/option-rules.ts';
import type { ResponseEvent, ResponseMessage } from '../parser/events.ts';
import type { ResponseParser, ResponsePiece } from '../parser/response-parser.ts';
import { mergeEvents } from './event-log.ts';

/** The result of reading a response that was cut in one way. */
export interface Reading {
  /** For people: `in one piece`, `cut at 12`, `unit by unit`, `in pieces of 3`. */
  readonly cut: string;
  /** Adjacent deltas and markers are merged. */
  readonly events: readonly ResponseEvent[];
  readonly message: ResponseMessage;
}

const responseParser: OptionRule = {
  expected: 'a parser that createResponseParser() returns',
  allows: (value) => isRecord(value) && typeof value.feed === 'function' && typeof value.reset === 'function',
};

/** The input of parsers. */
export const textOrPieces: OptionRule = {
  expected: 'a string or an array of pieces ({ text, special })',
  allows: (value) =>
    typeof value === 'string' ||
    (Array.isArray(value) && value.every((piece) => isRecord(piece) && typeof piece.text === 'string')),
};

/** Sizes of pieces, in addition to single units and all cuts into two. */
const sizes = [2, 3, 4, 7, 16, 64] as const;

/**
 * Reads a response in one piece, then unit by unit (UTF-16, so surrogate pairs are cut too), in pieces of
 * several sizes, and cut into two at every position. A piece that is one special token is never cut.
 *
 * The cost grows with the square of the length; a response of 1,000 units takes about a tenth of a second.
 */
export function* readAtEveryCut(
  parser: ResponseParser,
  response: string | readonly ResponsePiece[],
): Generator<Reading> {
  requireOption('parser', parser, responseParser);
  requireOption('response', response, textOrPieces);
  const pieces = typeof response === 'string' ? [{ text: response }] : response;
  const length = pieces.reduce((sum, { text }) => sum + text.length, 0);
  yield read(parser, 'in one piece', pieces, () => false);
  yield read(parser, 'unit by unit', pieces, () => true);
  for (const size of sizes) {
    if (size < length) yield read(parser, `in pieces of ${size}`, pieces, (at) => at % size === 0);
  }
  for (let position = 1; position < length; position += 1) {
    yield read(parser, `cut at ${position}`, pieces, (at) => at === position);
  }
}

function read(
  parser: ResponseParser,
  cut: string,
  pieces: readonly ResponsePiece[],
  isCut: (at: number) => boolean,
): Reading {
  parser.reset();
  const events: ResponseEvent[] = [];
  let at = 0;
  for (const piece of pieces) {
    for (const part of piece.special ? [piece.text] : split(piece.text, at, isCut)) {
      for (const event of parser.feed(piece.special ? [{ text: part, special: true }] : part))
        events.push(event);
    }
    at += piece.text.length;
  }
  const { events: last, message } = parser.finish();
  return { cut, events: mergeEvents([...events, ...last]), message };
}

/** Cuts a piece that begins at offset `from`. */
function split(text: string, from: number, isCut: (at: number) => boolean): readonly string[] {
  const parts: string[] = [];
  let start = 0;
  for (let end = 1; end < text.length; end += 1) {
    if (!isCut(from + end)) continue;
    parts.push(text.slice(start, end));
    start = end;
  }
  return [...parts, text.slice(start)];
}
