/** What holds for every format and every text, well formed or not. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage } from '../../src/format/messages.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import type { ResponseParserOptions } from '../../src/parser/response-parser.ts';
import { generatedModule } from '../support/generated-module.ts';
import { lawMessage, lawTools } from '../support/law-tools.ts';
import { everyPosition, type Parsed, parsePieces } from '../support/parse-pieces.ts';
import { sampleFormats } from '../support/sample-formats.ts';

const long = process.env.LAWS === 'long';
const numRuns = long ? 3000 : 12;

/** What a format's writer would write, then damaged a little, or not. */
function textOf(format: ChatFormat): fc.Arbitrary<string> {
  const written = fc.tuple(lawMessage, fc.constantFrom('', ...format.turn.ends)).map(([message, end]) => {
    return writeResponse(format, message) + end;
  });
  return fc.tuple(written, fc.array(damage(format), { maxLength: 3 })).map(([text, damages]) => {
    return damages.reduce((damaged, change) => change(damaged), text);
  });
}

/** Deletes, repeats, inserts or cuts off. */
function damage(format: ChatFormat): fc.Arbitrary<(text: string) => string> {
  const pieces = [
    ...['{', '}', '[', ']', '"', "'", ',', '\\', '\n', '\r\n', ' ', '\ud83d', '<', '|', '\t', '0'],
    ...[format.reasoning?.start ?? '', format.reasoning?.end ?? '', format.calls?.call.open ?? ''],
  ];
  return fc
    .tuple(
      fc.nat(),
      fc.nat({ max: 12 }),
      fc.constantFrom('delete', 'repeat', 'insert', 'cut'),
      fc.constantFrom(...pieces),
    )
    .map(([place, length, kind, piece]) => (text: string) => {
      const at = place % (text.length + 1);
      if (kind === 'delete') return text.slice(0, at) + text.slice(at + length);
      if (kind === 'repeat') return text.slice(0, at + length) + text.slice(at);
      return kind === 'insert' ? text.slice(0, at) + piece + text.slice(at) : text.slice(0, at);
    });
}

const optionSets: fc.Arbitrary<ResponseParserOptions> = fc.record({
  tools: fc.constantFrom(lawTools, undefined, []),
  reasoningFormat: fc.constantFrom('separate', 'none'),
  parallelToolCalls: fc.boolean(),
}) as fc.Arbitrary<ResponseParserOptions>;

/** How long a piece is, and whether it is the last of its list. */
const piece = fc.record({ length: fc.integer({ min: 1, max: 9 }), last: fc.boolean() });

/** The text in pieces, and these in lists. The lengths are used again from the first when they are used up. */
function listsOf(
  text: string,
  lengths: readonly { readonly length: number; readonly last: boolean }[],
): string[][] {
  const lists: string[][] = [[]];
  for (let at = 0, index = 0; at < text.length; index++) {
    const { length = 1, last = false } = lengths[index % lengths.length] ?? {};
    lists.at(-1)?.push(text.slice(at, at + length));
    if (last) lists.push([]);
    at += length;
  }
  return lists;
}

describe.each(sampleFormats)('%s', (_name, format) => {
  it('reads the same however the text is cut', () => {
    fc.assert(
      fc.property(
        textOf(format),
        optionSets,
        fc.array(fc.nat(), { maxLength: 6 }),
        fc.integer({ min: 2, max: 9 }),
        (text, options, places, size) => {
          const all = { ...options, markers: true };
          const whole = parsePieces(format, text, [], all);
          const cuts = places.map((place) => place % (text.length + 1));
          expect(parsePieces(format, text, cuts, all)).toEqual(whole);
          expect(parsePieces(format, text, everyPosition(text), all)).toEqual(whole);
          const evenCuts = everyPosition(text).filter((position) => position % size === 0);
          expect(parsePieces(format, text, evenCuts, all)).toEqual(whole);
        },
      ),
      { numRuns },
    );
  });

  it('reads a list of pieces as it reads them one by one', () => {
    fc.assert(
      fc.property(textOf(format), optionSets, fc.array(piece, { minLength: 1 }), (text, options, lengths) => {
        const [alone, listed] = [
          createResponseParser(format, options),
          createResponseParser(format, options),
        ];
        for (const pieces of listsOf(text, lengths)) {
          const oneByOne = pieces.flatMap((each) => alone.feed(each));
          expect(listed.feed(pieces.map((each) => ({ text: each })))).toEqual(oneByOne);
        }
        expect(listed.finish()).toEqual(alone.finish());
      }),
      { numRuns },
    );
  });

  it('loses nothing: the events tile the text', () => {
    fc.assert(
      fc.property(textOf(format), optionSets, (text, options) => {
        const { events } = parsePieces(format, text, [], { ...options, markers: true });
        let end = 0;
        for (const event of events) {
          expect(event.start).toBe(end);
          end = event.end;
        }
        expect(end).toBe(text.length);
        for (const event of events) {
          if (event.type === 'text-delta') {
            const written = text.slice(event.start, event.end);
            // In a later region, a line break may keep the text apart from the one before.
            const isApart =
              event.id !== 'text-0' && event.delta.startsWith('\n') && !written.startsWith('\n');
            expect(event.delta).toBe(isApart ? `\n${written}` : written);
          }
          if (event.type === 'malformed') expect(event.raw).toBe(text.slice(event.start, event.end));
          if (event.type === 'marker') expect(event.text).toBe(text.slice(event.start, event.end));
        }
      }),
      { numRuns },
    );
  });

  it('says deltas that add up to the input of the call', () => {
    fc.assert(
      fc.property(textOf(format), (text) => {
        expectCoherentCalls(parsePieces(format, text, everyPosition(text), { tools: lawTools }));
      }),
      { numRuns },
    );
  });

  it('reads in generated code what it reads interpreted', () => {
    const generated = generatedModule(format);
    fc.assert(
      fc.property(textOf(format), optionSets, (text, options) => {
        const all = { ...options, markers: true };
        expect(parsePieces(generated, text, [], all)).toEqual(parsePieces(format, text, [], all));
      }),
      { numRuns: Math.ceil(numRuns / 2) },
    );
  });

  it('reads back the message that was written', () => {
    fc.assert(
      fc.property(lawMessage, (message) => {
        fc.pre(isShown(format, message));
        const text = writeResponse(format, message);
        const { message: parsed } = parsePieces(format, text, [], { tools: lawTools });
        expect(comparable(parsed)).toEqual(comparable(shown(format, message)));
      }),
      { numRuns },
    );
  });
});

/** Calls are announced, said and completed in order, and say valid JSON. */
function expectCoherentCalls({ events, message }: Parsed): void {
  const inputs = new Map<string, string>();
  for (const event of events) {
    if (event.type === 'tool-input-start') inputs.set(event.id, '');
    if (event.type === 'tool-input-delta') inputs.set(event.id, inputs.get(event.id) + event.delta);
    if (event.type !== 'tool-call') continue;
    expect(inputs.get(event.toolCallId)).toBe(event.input);
    expect(JSON.parse(event.input)).toEqual(event.arguments);
  }
  const completed = events.filter((event) => event.type === 'tool-call');
  expect(message.tool_calls?.length ?? 0).toBe(completed.length);
  expectNamedCalls({ events, message });
}

/** What is told of a call names it as the events do in the events, and as the message does in the message. */
function expectNamedCalls({ events, message }: Parsed): void {
  const announced = new Set(events.flatMap((event) => (event.type === 'tool-input-start' ? event.id : [])));
  const broken = message.malformed ?? [];
  const kept = new Set([...(message.tool_calls ?? []).map(({ id }) => id), ...idsOf(broken)]);
  const repaired = events.filter((event) => event.type === 'repaired');
  expect(idsOf(repaired).filter((id) => !announced.has(id))).toEqual([]);
  expect(idsOf(message.repaired ?? []).filter((id) => !kept.has(id))).toEqual([]);
}

function idsOf(notes: readonly { readonly toolCallId?: string }[]): readonly string[] {
  return notes.flatMap(({ toolCallId }) => toolCallId ?? []);
}

/** Whether the format can write the message so that nothing but its own text is ambiguous. */
function isShown(format: ChatFormat, message: AssistantMessage): boolean {
  const { calls, reasoning, content } = format;
  const count = message.tool_calls?.length ?? 0;
  if (count > 0 && calls === null) return false;
  if (count > 1 && calls?.parallel !== true) return false;
  if (message.reasoning_content !== undefined && reasoning === null) return false;
  // Text that only its missing end marks as no reasoning.
  if (reasoning?.start === '' && message.reasoning_content === undefined) return false;
  if (count > 0 && message.content !== '' && content.position !== 'before-calls') return false;
  return !hidesNull(format, message);
}

/** A format whose frames drop null, or whose raw text cannot tell null from a string. */
function hidesNull(format: ChatFormat, message: AssistantMessage): boolean {
  if (format.calls?.arguments.kind !== 'entries') return false;
  return (message.tool_calls ?? []).some((call) => /null|\\"null\\"/.test(call.function.arguments));
}

function shown(format: ChatFormat, message: AssistantMessage): AssistantMessage {
  return format.calls?.id === null || format.calls?.id?.style !== 'free' ? withoutIds(message) : message;
}

function withoutIds(message: AssistantMessage): AssistantMessage {
  const calls = message.tool_calls?.map((call) => ({ ...call, id: '' }));
  return calls === undefined ? message : { ...message, tool_calls: calls };
}

/** What the writer and the parser agree on: the order of keys and the ids that a format makes do not count. */
function comparable(message: AssistantMessage): unknown {
  return {
    content: message.content ?? '',
    reasoning: message.reasoning_content ?? '',
    calls: (message.tool_calls ?? []).map(({ id, function: { name, arguments: input } }) => ({
      id: id.startsWith('call0') ? id : '',
      name,
      input: JSON.parse(input),
    })),
  };
}
