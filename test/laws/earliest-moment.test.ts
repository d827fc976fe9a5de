/**
 * An event comes no later than the character that decides it: what is the same however a response goes on has
 * been said already. How it can go on is tried with what the format itself writes, from every place, and
 * with text that it does not.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage, JsonObject, ToolCall } from '../../src/format/messages.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import type { ResponseEvent } from '../../src/parser/events.ts';
import { meansAbsent, propertyNames } from '../../src/parser/steps/schema-place.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { callId, lawMessage, lawTools } from '../support/law-tools.ts';
import { sampled } from '../support/sample.ts';
import { sampleFormats } from '../support/sample-formats.ts';

const long = process.env.LAWS === 'long';
/** Responses of each format that are cut off, and places at which each is. */
const responses = long ? 12 : 3;
const places = long ? 60 : 5;

const all: readonly (readonly [name: string, format: ChatFormat])[] = [
  ...sampleFormats,
  ...generatedFormats().map(({ name, format }) => [name, format] as const),
];
const formats = sampled(all, 8);

function call(index: number, name: string, values: JsonObject): ToolCall {
  return { id: callId(index), type: 'function', function: { name, arguments: JSON.stringify(values) } };
}

const words: AssistantMessage = {
  role: 'assistant',
  content: 'Let me see.',
  reasoning_content: 'Hm, so.',
};
const calls = [
  call(0, 'get_weather', { city: 'Oslo', days: 3 }),
  call(1, 'create_event', {
    title: 'a "b"',
    price: 1.5,
    tags: ['x', 'y'],
    options: { public: true },
    note: null,
  }),
];
/**
 * A text that ends where it begins, and an argument that could have been `null`: in the long form, because three formats
 * (LFM2.5, MiniMax-M3, Nemotron 3 Nano) still say a quote or a line break late there.
 */
const emptyText = call(0, 'get_weather', { city: '', unit: 'c' });
const noise = [
  'x',
  ' x',
  '\nx',
  '\n',
  '. ',
  '"',
  "'",
  '"x',
  "'x",
  ',',
  ':',
  '}',
  ']',
  ')',
  '<',
  '</',
  '\\',
  '5',
];

/** What the format writes of a message, with the end of the turn. */
function written(format: ChatFormat, message: AssistantMessage): string {
  const { reasoning_content: thoughts, tool_calls: made = [], ...rest } = message;
  const shown = format.calls === null ? [] : made.slice(0, format.calls.parallel ? 3 : 1);
  const [end = ''] = format.turn.ends;
  const text = writeResponse(format, {
    ...rest,
    ...(format.reasoning === null || thoughts === undefined ? {} : { reasoning_content: thoughts }),
    ...(shown.length === 0 ? {} : { tool_calls: shown }),
  });
  return text + end;
}

/** A call of each tool, with `null` for all arguments that may be absent: what comes of them is decided late. */
const nullCalls = lawTools.map(({ function: { name, parameters: schema } }) => {
  const place = { schema, root: schema };
  const names = propertyNames(place).filter((key) => meansAbsent(place, key));
  return call(0, name, Object.fromEntries(names.map((key) => [key, null])));
});

/** What stands after each character of a text; halves of surrogate pairs are waited for, and no places. */
function tailsOf(text: string): readonly string[] {
  const characters = [...text];
  return characters.map((_, index) => characters.slice(index).join(''));
}

/** Calls whose argument quotes the end of the call: one goes on in that line, the other ends there. */
function quoting(format: ChatFormat): readonly string[] {
  const calling = (city: string) =>
    written(format, { ...words, tool_calls: [call(0, 'get_weather', { city })] });
  const [end = ''] = format.turn.ends;
  const plain = calling('Oslo');
  const quoted = plain.slice(plain.lastIndexOf('Oslo') + 'Oslo'.length, plain.length - end.length);
  return [`Oslo${quoted}x`, `Oslo${quoted}`].map(calling);
}

/** How a response may go on, whatever it is. */
function continuations(format: ChatFormat): readonly string[] {
  const full = written(format, { ...words, tool_calls: calls });
  const withNulls = nullCalls.map((each) => written(format, { ...words, tool_calls: [each] }));
  const texts = [written(format, words), full, format.turn.start + full, ...withNulls];
  return ['', ...noise, ...[...texts, ...quoting(format)].flatMap(tailsOf)];
}

/** What events say, bit by bit. Ends are left out: all that they say is that something else follows. */
function said(events: readonly ResponseEvent[]): readonly string[] {
  return events.flatMap((event) => {
    if ('delta' in event) return [...event.delta].map((unit) => `${event.type} ${unit}`);
    if (event.type === 'finish' || event.type.endsWith('-end')) return [];
    return [JSON.stringify(event)];
  });
}

// What decides is what the format's own responses have in common; a lenient parser also waits for others.
const options = { tools: lawTools, leniency: 'strict' } as const;

function saidUnitByUnit(format: ChatFormat, text: string): readonly string[] {
  const parser = createResponseParser(format, options);
  return said(text.split('').flatMap((unit) => parser.feed(unit)));
}

function saidOfWhole(format: ChatFormat, text: string): readonly string[] {
  const parser = createResponseParser(format, options);
  return said([...parser.feed(text), ...parser.finish().events]);
}

/** What all ways to go on have in common, as far as it goes beyond `early`. */
function saidLate(
  format: ChatFormat,
  text: string,
  early: number,
  tails: readonly string[],
): readonly string[] {
  let common: readonly string[] | null = null;
  for (const tail of tails) {
    const all = saidOfWhole(format, text + tail);
    common = common === null ? all : commonStart(common, all);
    if (common.length <= early) return [];
  }
  return (common ?? []).slice(early);
}

function commonStart(left: readonly string[], right: readonly string[]): readonly string[] {
  let length = 0;
  while (length < left.length && left[length] === right[length]) length++;
  return left.slice(0, length);
}

describe.each(formats)('%s', (_name, format) => {
  it('says everything as soon as it is decided', () => {
    const tails = continuations(format);
    const messages: readonly AssistantMessage[] = [
      { ...words, tool_calls: calls },
      ...(long ? [{ ...words, tool_calls: [emptyText] }] : []),
      ...fc.sample(lawMessage, { numRuns: responses - 1, seed: 1 }),
    ];
    for (const [round, message] of messages.entries()) {
      const text = written(format, message);
      const all = [...tails, ...tailsOf(text)];
      for (let place = 0; place < places; place++) {
        // Other places in each response.
        const end = Math.floor(((place + round / messages.length) * text.length) / places);
        const start = text.slice(0, end).replace(/[\ud800-\udbff]$/, '');
        const early = saidUnitByUnit(format, start).length;
        expect({ start, late: saidLate(format, start, early, all) }).toEqual({ start, late: [] });
      }
    }
  });
});
