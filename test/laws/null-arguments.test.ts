/**
 * Law: `null` for an optional argument that must not be null is allowed where it can be told from a text, is read as
 * absent, and is told; no delta ever has it. What the grammar allows there the parser reads, in every format.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { JsonObject, JsonSchema, JsonValue, Tool } from '../../src/format/messages.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { foldEvents } from '../../src/parser/assistant-message.ts';
import type { ResponseEvent } from '../../src/parser/events.ts';
import { AbsentMembers } from '../../src/parser/writer/absent-members.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { everyPosition, parsePieces } from '../support/parse-pieces.ts';
import { sampled } from '../support/sample.ts';

const types: Readonly<Record<string, JsonSchema>> = {
  integer: { type: 'integer', minimum: 1, maximum: 7 },
  number: { type: 'number' },
  boolean: { type: 'boolean' },
  text: { type: 'string' },
  enum: { enum: ['celsius', 'fahrenheit'] },
  list: { type: 'array', items: { type: 'integer' } },
  object: { type: 'object', properties: { a: { type: 'integer' } } },
};

const formats = generatedFormats().filter(({ format }) => format.calls !== null);
const rows = formats.flatMap(({ name, format }) =>
  Object.entries(types).map(([type, schema]) => ({ name, format, type, schema })),
);

function toolOf(schema: JsonSchema, required: readonly string[] = ['city']): Tool {
  const properties = { city: { type: 'integer' }, days: schema, more: { type: 'boolean' } };
  const parameters = { type: 'object', properties, required: [...required], additionalProperties: false };
  return { type: 'function', function: { name: 'get', parameters } };
}

/** What the format writes after its prompt for a call with these arguments; `null` if it opens other thoughts. */
function written({ turn, ...rest }: ChatFormat, values: JsonObject): string | null {
  const call = { name: 'get', arguments: JSON.stringify(values) };
  const tool_calls = [{ id: 'call00001', type: 'function', function: call }] as const;
  const text = writeResponse({ turn, ...rest }, { role: 'assistant', content: null, tool_calls });
  return text.startsWith(turn.prompt.off) ? text.slice(turn.prompt.off.length) : null;
}

function isAllowed(format: ChatFormat, tool: Tool, text: string): boolean {
  const generationPrompt = format.turn.start + format.turn.prompt.off;
  const { expression } = buildGrammar(format, { tools: [tool], toolChoice: 'required', generationPrompt });
  if (expression === null) throw new TypeError('calls are required');
  const matcher = createMatcher(expression);
  return matcher.accept(text) && matcher.complete;
}

function optionsOf({ turn }: ChatFormat, tool: Tool) {
  return { tools: [tool], generationPrompt: turn.start + turn.prompt.off, leniency: 'strict' } as const;
}

/** The arguments read, and the laws told. */
function read(format: ChatFormat, tool: Tool, text: string) {
  const parser = createResponseParser(format, optionsOf(format, tool));
  const events = [...parser.feed(text)];
  const { events: last, message } = parser.finish('stop');
  const [call] = message.tool_calls ?? [];
  const input = JSON.parse(call?.function.arguments ?? 'null') as JsonObject | null;
  const [folded] = foldEvents([...events, ...last]).calls;
  return { input, folded: folded?.arguments, told: (message.repaired ?? []).map(({ law }) => law) };
}

/** Parses in pieces cut at these places, all events covering the text. */
function readPieces(format: ChatFormat, tool: Tool, text: string, cuts: readonly number[]) {
  return parsePieces(format, text, cuts, { ...optionsOf(format, tool), markers: true });
}

/** The deltas of the one call, joined. */
function deltasOf(events: readonly ResponseEvent[]): string {
  return events.map((event) => (event.type === 'tool-input-delta' ? event.delta : '')).join('');
}

/** Whether `null` is a text like any other here: texts are written without quotes. */
function isText({ calls }: ChatFormat, type: string): boolean {
  if (calls?.arguments.kind !== 'entries' || !['text', 'enum'].includes(type)) return false;
  const { string, null: none } = calls.arguments.frames;
  return string.codec === 'raw' && string.open === none.open && string.close === none.close;
}

const cases = [
  { city: 1, days: null },
  { city: 1, days: null, more: true },
  { city: 1, days: null, more: null },
];

describe.each(sampled(rows, 9))('null for an optional $type in $name', ({ format, schema, type }) => {
  it.each(cases)('is read as absent and told, unless it is a text: %j', (values) => {
    const text = written(format, values);
    const frame = format.calls?.arguments.kind === 'entries' ? format.calls.arguments.frames.null : null;
    if (text === null || frame?.codec === 'absent') return;
    const tool = toolOf(schema);
    const isOther = isText(format, type);
    // Then it is a string like any other, and no value of an enum.
    expect([text, isAllowed(format, tool, text)]).toEqual([text, !isOther || type === 'text']);
    if (isOther) return;
    const kept = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
    const told = Object.values(values).flatMap((value) => (value === null ? ['null-argument'] : []));
    expect([text, read(format, tool, text)]).toEqual([text, { input: kept, folded: kept, told }]);
  });

  it.each(cases)('is in no delta, wherever the text is cut: %j', (values) => {
    const text = written(format, values);
    if (text === null || isText(format, type)) return;
    const tool = toolOf(schema);
    const whole = readPieces(format, tool, text, []);
    for (const cut of everyPosition(text)) expect(readPieces(format, tool, text, [cut])).toEqual(whole);
    expect(readPieces(format, tool, text, everyPosition(text))).toEqual(whole);
    const { events, message } = whole;
    const input = message.tool_calls?.[0]?.function.arguments;
    expect(input).toBeDefined();
    expect(deltasOf(events)).toBe(input);
    expect(events.slice(1).map(({ start }) => start)).toEqual(events.slice(0, -1).map(({ end }) => end));
    expect(events.at(-1)?.end).toBe(text.length);
    const parser = createResponseParser(format, optionsOf(format, tool));
    let said = '';
    for (const char of text) {
      said += deltasOf(parser.feed(char));
      expect(input?.startsWith(said)).toBe(true);
    }
  });

  it('is not allowed where it is required, and not left out', () => {
    const text = written(format, { city: 1, days: null });
    if (text === null || isText(format, type)) return;
    expect(isAllowed(format, toolOf(schema, ['city', 'days']), text)).toBe(false);
    expect(read(format, toolOf(schema, ['city', 'days']), text).told).not.toContain('null-argument');
  });
});

const texts = {
  '{"city":1,"days":null,"more":null}': '{"city":1}',
  '{ "days" : null , "city" : 1 }': '{ "city" : 1 }',
  '{"days":null}': '{}',
  '{"days":null,"more":null,"city":1}': '{"city":1}',
  '{\n  "days": null,\n  "city": 1,\n  "more": null\n}\n': '{\n  "city": 1\n}\n',
  '{"city": [null, {"days": null}], "days": null, "more": {"a": "}"}}':
    '{"city": [null, {"days": null}], "more": {"a": "}"}}',
  '{"city": 12345678901234567890, "days": "null"}': '{"city": 12345678901234567890, "days": "null"}',
  '{"city": null, "other": null}': '{"city": null, "other": null}',
  '{"city": "\\", \\"days\\": null", "d\\u0061ys": null}': '{"city": "\\", \\"days\\": null"}',
} as const;
const names = new Set(['days', 'more', 'a "b"\n']);

/** What is written of the pieces, each by itself. */
function writtenOf(pieces: readonly string[]): readonly string[] {
  const members = new AbsentMembers(names);
  return pieces.map((piece) => members.write(piece));
}

describe.each(Object.entries(texts))('%s without what is absent', (json, expected) => {
  it('is the same wherever it is cut', () => {
    for (let at = 0; at <= json.length; at++) {
      expect(writtenOf([json.slice(0, at), json.slice(at)]).join('')).toBe(expected);
    }
    expect(writtenOf([...json]).join('')).toBe(expected);
  });

  it('is a beginning of what it was if it breaks off', () => {
    for (let at = 0; at < json.length; at++) {
      const members = new AbsentMembers(names);
      const written = members.write(json.slice(0, at));
      const rest = members.end();
      if (members.keys.length === 0) expect(written + rest).toBe(json.slice(0, at));
      expect(members.isHolding).toBe(false);
    }
  });
});

const keys = fc.constantFrom('days', 'more', 'a "b"\n', 'city', 'other', '__proto__', '');
const value: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom(null, true, 'null', ', "days": null', '\\', { days: null }, [null, [], {}], {}),
  fc.jsonValue().map((json) => json as JsonValue),
);
const objects = fc.uniqueArray(fc.tuple(keys, value), { selector: ([key]) => key });

/** JSON of the members with white space around every part, and keys in escapes. */
function writtenWide(members: readonly (readonly [string, JsonValue])[], isEscaped: boolean, gap: string) {
  const inner = members.map(([key, each]) => {
    const written = JSON.stringify(key);
    const escapedKey = isEscaped ? written.replace(/[a-z]$|d/, toEscape) : written;
    return `${gap}${escapedKey}${gap}:${gap}${JSON.stringify(each, null, gap)}${gap}`;
  });
  return `${gap}{${inner.join(',')}${gap}}${gap}`;
}

function toEscape(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

it('any object loses exactly the absent members, wherever it is cut', () => {
  const gaps = fc.constantFrom('', ' ', '\n\t');
  fc.assert(
    fc.property(objects, fc.boolean(), gaps, fc.nat(), (members, isEscaped, gap, cut) => {
      const json = writtenWide(members, isEscaped, gap);
      const at = cut % (json.length + 1);
      const filter = new AbsentMembers(names);
      const written = filter.write(json.slice(0, at)) + filter.write(json.slice(at));
      const isAbsent = ([key, each]: readonly [string, JsonValue]) => each === null && names.has(key);
      const kept = members.filter((member) => !isAbsent(member));
      expect(JSON.parse(written)).toEqual(JSON.parse(writtenWide(kept, false, '')));
      expect(filter.keys).toEqual(members.filter(isAbsent).map(([key]) => key));
      expect(writtenOf([...json]).join('')).toBe(written);
      if (kept.length === members.length) expect(written).toBe(json);
    }),
  );
});
