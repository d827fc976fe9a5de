/**
 * Openers of calls that are spelled in another way: what the format writes, with its first marker changed, is read
 * as the same calls and reported, at every cut; `strict` does neither. Text that only shows such a spelling is text.
 */
import { describe, expect, it } from 'vitest';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage } from '../../src/format/messages.ts';
import { turnLayout } from '../../src/layout/turn-layout.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import type { ResponseParserOptions } from '../../src/parser/response-parser.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { callId, lawTools } from '../support/law-tools.ts';
import { everyPosition, parsePieces } from '../support/parse-pieces.ts';
import { sampled } from '../support/sample.ts';
import { sampleFormats } from '../support/sample-formats.ts';

const message: AssistantMessage = {
  role: 'assistant',
  content: null,
  tool_calls: [
    {
      id: callId(0),
      type: 'function',
      function: { name: 'get_weather', arguments: JSON.stringify({ city: 'Oslo', days: 3 }) },
    },
  ],
};

/** The first marker of the way into a call: one word between brackets. */
function firstMarker(format: ChatFormat): string {
  return /^<\|?[^<>|\s｜=]+\|?>|^\[\w+\]/.exec(turnLayout(format).calls?.opener.core ?? '')?.[0] ?? '';
}

/** Other spellings of a marker, by what was changed. */
function otherSpellings(marker: string): readonly (readonly [change: string, spelling: string])[] {
  const word = /^<\|?([^<>|]+)\|?>$/.exec(marker)?.[1];
  const respelled = marker.startsWith('<|') ? `<${word}>` : `<|${word}|>`;
  return [
    ['twice', marker + marker],
    ['twice, on lines of their own', `${marker}\n${marker}`],
    ...(word === undefined ? [] : [['with bars or without', respelled] as const]),
  ];
}

const all: readonly (readonly [name: string, format: ChatFormat])[] = [
  ...sampleFormats,
  ...generatedFormats().map(({ name, format }) => [name, format] as const),
];
/** Formats with equal calls are tried once. */
const different = [
  ...new Map(
    all
      .filter(([, format]) => format.calls !== null && firstMarker(format) !== '')
      .map((each) => [JSON.stringify([each[1].calls, each[1].content]), each]),
  ).values(),
];
const formats = sampled(different, 3);

/** The calls that are read, and the laws that were applied, the same at every cut. */
function outcome(format: ChatFormat, text: string, options: ResponseParserOptions = {}) {
  const all = { tools: lawTools, markers: true, ...options };
  const whole = parsePieces(format, text, [], all);
  expect(parsePieces(format, text, everyPosition(text), all)).toEqual(whole);
  for (const at of everyPosition(text).filter((each) => each % 7 === 0))
    expect(parsePieces(format, text, [at], all)).toEqual(whole);
  const { tool_calls: calls = [], repaired = [], content } = whole.message;
  return {
    calls: calls.map(({ function: { name, arguments: json } }) => [name, JSON.parse(json)]),
    laws: [...new Set(repaired.map(({ law }) => law))],
    content,
  };
}

describe.each(formats)('%s', (_name, format) => {
  const written = writeResponse(format, message);
  const marker = firstMarker(format);
  const begin = written.indexOf(turnLayout(format).calls?.opener.core ?? '');
  const asWritten = outcome(format, written);

  it.each(otherSpellings(marker))('reads its opener %s', (_, spelling) => {
    const text = written.slice(0, begin) + spelling + written.slice(begin + marker.length);
    const read = outcome(format, text);
    expect(read.calls).toEqual(asWritten.calls);
    expect((read.content ?? '').trim()).toBe((asWritten.content ?? '').trim());
    expect(read.laws).toEqual(['opener']);
    expect(outcome(format, text, { leniency: 'strict' }).laws).toEqual([]);
  });

  it('leaves text that shows such an opener as it is', () => {
    const [, , [, respelled] = ['', marker]] = otherSpellings(marker);
    const ends = format.turn.ends.map((end) => end.trim());
    for (const spelling of [marker, respelled].filter((each) => !ends.includes(each))) {
      for (const after of [' opens a call.', '` is a marker.', '', '\nget_time is a tool.']) {
        const text = `Here \`${spelling}${after}`;
        const answer = writeResponse(format, { role: 'assistant', content: text });
        const read = outcome(format, answer);
        expect([read.calls, read.laws, read.content]).toEqual([[], [], text]);
      }
    }
  });
});
