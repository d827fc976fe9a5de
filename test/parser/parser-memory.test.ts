/** What a parser keeps while a long response streams through it. */
import v8 from 'node:v8';
import vm from 'node:vm';
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ResponseParser } from '../../src/parser/response-parser.ts';
import { lawTools } from '../support/law-tools.ts';
import { jsonInTags, noMarker, tagged } from '../support/sample-formats.ts';

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc') as () => void;

/** Bytes of live objects. */
function liveBytes(): number {
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

const pieces = Array.from({ length: 1000 }, (_, index) => (index % 9 === 0 ? 'so <' : `w${index % 100}, `));

/** Feeds about `units` units, four or five at a time; the events are dropped. */
function feedText(parser: ResponseParser, units: number): void {
  for (let fed = 0; fed < units; ) {
    for (const piece of pieces) {
      parser.feed(piece);
      fed += piece.length;
    }
  }
}

// What is kept for each piece of a few units is larger than the piece: 3 MB tell it as well as 10.
const length = process.env.LAWS === 'long' ? 9e6 : 2e6;

/** How much more is alive at the end of `length` units than after 1 MB. */
function growth(parser: ResponseParser): number {
  feedText(parser, 1e6);
  const before = liveBytes();
  feedText(parser, length);
  return liveBytes() - before;
}

describe('of megabytes of text', () => {
  it.each([
    ['an answer', jsonInTags, ''],
    ['reasoning', jsonInTags, '<muse>\n'],
    ['an answer without markers', noMarker, 'So: '],
    ['an answer after calls', tagged, '<use>\n<fn=list_files>\n</fn>\n</use>'.repeat(20)],
  ])('%s leaves nothing after in a parser that keeps no message', (_name, format, begin) => {
    const parser = createResponseParser(format, { tools: lawTools, keepMessage: false });
    parser.feed(begin);
    expect(growth(parser)).toBeLessThan(300_000);
    expect(parser.finish().message).toEqual({ role: 'assistant', content: null });
  });

  it('a parser that keeps the message keeps little more than the text', () => {
    const parser = createResponseParser(jsonInTags, { tools: lawTools });
    expect(growth(parser)).toBeLessThan(length * 1.3);
    expect(parser.finish().message.content?.length).toBeGreaterThan(length);
  });

  it('a response in one piece that is read again at many places is not copied at each', () => {
    const parser = createResponseParser(noMarker, { tools: lawTools });
    const call = '{"name": "get_weather", "parameters":';
    const text = `So: ${`${`${call} {"city": "Oslo`.repeat(10)}${call}`.repeat(500)}`;
    const before = liveBytes();
    const events = parser.feed(text);
    // Copied at every hundredth unit, it would be 400 MB.
    expect(liveBytes() - before).toBeLessThan(30 * text.length);
    // Every second call stands in quotation marks.
    expect(events.length).toBeGreaterThan(500);
  });

  it('an open call keeps its arguments, and gives them back when it is over', () => {
    const parser = createResponseParser(tagged, { tools: lawTools, keepMessage: false });
    const start = liveBytes();
    parser.feed('<use>\n<fn=get_weather>\n<arg=city>\n');
    feedText(parser, 2e6);
    const open = liveBytes() - start;
    parser.feed('\n</arg>\n</fn>\n</use>');
    feedText(parser, 1e5);
    expect(open).toBeLessThan(2e6 * 1.5);
    expect(liveBytes() - start).toBeLessThan(300_000);
    expect(parser.finish().events.at(-1)).toMatchObject({ reason: 'tool-calls' });
  });
});
