/**
 * Arguments that stand elsewhere than the format has them: they are read with a note, or the call is malformed. No call
 * ever has fewer than were written, in silence.
 */
import { describe, expect, it } from 'vitest';
import type { CallEnvelope, ChatFormat } from '../../src/format/chat-format.ts';
import type { JsonObject, JsonValue } from '../../src/format/messages.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { lawTools } from '../support/law-tools.ts';
import { everyPosition, parsePieces } from '../support/parse-pieces.ts';
import { sampled } from '../support/sample.ts';

const args = { city: 'Oslo', days: 3 };

/** A call with `members` next to its name, in place of its arguments. */
function callWith({ name, arguments: path }: CallEnvelope, members: JsonObject): JsonObject {
  let call: JsonObject = { [name?.at(-1) ?? '']: 'get_weather', ...members };
  for (const key of path.slice(0, -1).reverse()) call = { [key]: call };
  return call;
}

const elsewhere: Readonly<Record<string, JsonObject>> = {
  'under the key parameters': { parameters: args },
  'under the key arguments': { arguments: args },
  'under the key args': { args },
  'under the key input': { input: args },
  'under a key that nobody has': { values: args },
  'next to the name': args,
  'wrapped twice': { arguments: { arguments: args }, parameters: { parameters: args } },
};

/** Formats with equal calls, tried once. Where the name is the key, any member is an argument. */
const different = [
  ...new Map(
    generatedFormats().flatMap(({ name, format }) => {
      const { calls } = format;
      const paths = calls?.envelope ?? null;
      const isApart = paths?.name?.slice(0, -1).join() !== paths?.arguments.slice(0, -1).join();
      if (calls === null || paths === null || paths.name === null || isApart) return [];
      return [[JSON.stringify(calls), { name, format, calls, paths }] as const];
    }),
  ).values(),
];
const formats = sampled(different, 3);

function outcome(format: ChatFormat, text: string) {
  const { message } = parsePieces(format, text, [], { tools: lawTools });
  expect(parsePieces(format, text, everyPosition(text), { tools: lawTools }).message).toEqual(message);
  const [call] = message.tool_calls ?? [];
  const input: JsonValue = call === undefined ? null : JSON.parse(call.function.arguments);
  return {
    input,
    notes: message.repaired?.length ?? 0,
    isText: (message.content ?? '').includes('Oslo'),
    message,
  };
}

describe.each(formats)('$name', ({ format, calls, paths }) => {
  it.each(Object.entries(elsewhere))('tells of arguments %s', (_, members) => {
    const { section, call } = calls;
    const json = JSON.stringify(callWith(paths, members));
    const { input, notes, isText, message } = outcome(
      format,
      section.open + call.open + json + call.close + section.close,
    );
    const isWhole = JSON.stringify(input) === JSON.stringify(args);
    const isTold = notes > 0 || (message.malformed?.length ?? 0) > 0;
    const isOwn = members[paths.arguments.at(-1) ?? ''] === args;
    // Without a marker, what is no call of the format's own shape is an answer.
    expect({ json, told: isText || (isWhole ? isOwn || isTold : isTold) }).toEqual({ json, told: true });
  });
});
