/**
 * Models leave markers out. Whatever single part of a marker a response lacks, a call that comes out other than it was
 * written is told of: as `malformed`, or by a note of what was read instead.
 */
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage, JsonObject } from '../../src/format/messages.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { callId, lawTools } from '../support/law-tools.ts';
import { sampled } from '../support/sample.ts';

function call(index: number, name: string, input: JsonObject) {
  return {
    id: callId(index),
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(input) },
  };
}

const weather = { city: 'Oslo', days: 3 };
const messages: readonly AssistantMessage[] = [
  { role: 'assistant', content: 'Let me see.', tool_calls: [call(0, 'get_weather', weather)] },
  { role: 'assistant', content: null, tool_calls: [call(0, 'get_weather', { city: 'Oslo', unit: 'c' })] },
  {
    role: 'assistant',
    content: null,
    reasoning_content: 'Hm, so.',
    tool_calls: [call(0, 'get_weather', weather), call(1, 'create_event', { title: 'Go out', price: 2.5 })],
  },
];

function parse(format: ChatFormat, text: string) {
  const parser = createResponseParser(format, { tools: lawTools, markers: true });
  const events = parser.feed(text);
  const { events: last, message } = parser.finish('stop');
  return { events: [...events, ...last], message };
}

/** Calls by what they do; equal ones are equal texts. */
function callsOf({ tool_calls: calls = [] }: ResponseMessage): readonly string[] {
  return calls.map(({ function: { name, arguments: json } }) => JSON.stringify([name, JSON.parse(json)]));
}

/** Tags, brackets with a word in them, and words: what a model leaves out, and not a quote or a comma. */
const part = /<[^<>\s]+>|<[^<>\s]*|\[\/?[A-Z_]+\]|\w+/g;

/** The text without one part of one marker, for each of them. */
function withoutParts(format: ChatFormat, text: string): readonly string[] {
  const { events } = parse(format, text);
  const texts = events.flatMap((event) => {
    if (event.type !== 'marker') return [];
    return Array.from(event.text.matchAll(part), ({ 0: lost, index }) => {
      const at = event.start + index;
      return text.slice(0, at) + text.slice(at + lost.length);
    });
  });
  return [...new Set(texts)];
}

describe.each(sampled(generatedFormats(), 5).filter(({ format }) => format.calls !== null))(
  '$name',
  ({ format }) => {
    it('makes no other call of a response that lacks a part of a marker, and keeps silent', () => {
      for (const message of messages) {
        for (const end of ['', format.turn.ends[0] ?? '']) {
          const written = writeResponse(format, message) + end;
          const meant = new Set(callsOf(parse(format, written).message));
          for (const text of withoutParts(format, written)) {
            const { message: read } = parse(format, text);
            const others = callsOf(read).filter((each) => !meant.has(each));
            const isTold = read.malformed !== undefined || read.repaired !== undefined;
            if (!isTold) expect({ text, others }).toEqual({ text, others: [] });
          }
        }
      }
    });
  },
);
