/**
 * Law: `null` for an optional argument that must not be null is allowed where it can be told from a text, is read as
 * absent, and is told. What the grammar allows there the parser reads, in every format.
 */
import { describe, expect, it } from 'vitest';
import { createResponseParser } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { JsonObject, JsonSchema, Tool } from '../../src/format/messages.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { writeResponse } from '../../src/layout/write-response.ts';
import { withoutAbsent } from '../../src/parser/absent-arguments.ts';
import { foldEvents } from '../../src/parser/assistant-message.ts';
import { generatedFormats } from '../support/generated-formats.ts';
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

/** The arguments read, and the laws told. */
function read(format: ChatFormat, tool: Tool, text: string) {
  const generationPrompt = format.turn.start + format.turn.prompt.off;
  const options = { tools: [tool], generationPrompt, leniency: 'strict' } as const;
  const parser = createResponseParser(format, options);
  const events = [...parser.feed(text)];
  const { events: last, message } = parser.finish('stop');
  const [call] = message.tool_calls ?? [];
  const input = JSON.parse(call?.function.arguments ?? 'null') as JsonObject | null;
  const [folded] = foldEvents([...events, ...last]).calls;
  return { input, folded: folded?.arguments, told: (message.repaired ?? []).map(({ law }) => law) };
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

  it('is not allowed where it is required, and not left out', () => {
    const text = written(format, { city: 1, days: null });
    if (text === null || isText(format, type)) return;
    expect(isAllowed(format, toolOf(schema, ['city', 'days']), text)).toBe(false);
    expect(read(format, toolOf(schema, ['city', 'days']), text).told).not.toContain('null-argument');
  });
});

const place = (schema: JsonSchema) => ({ schema, root: schema });
const weather = toolOf({ type: 'string' }).function.parameters ?? true;

it.each([
  ['{"city":1,"days":null,"more":null}', '{"city":1}'],
  ['{ "days" : null , "city" : 1 }', '{ "city" : 1 }'],
  ['{"days":null}', '{}'],
  ['{"days": "3", "days": null, "city": 1}', '{"city": 1}'],
  ['{"days": null, "days": "3"}', '{"days": null, "days": "3"}'],
  [
    '{"city": [null, {"days": null}], "days": null, "more": {"a": "}"}}',
    '{"city": [null, {"days": null}], "more": {"a": "}"}}',
  ],
  ['{"city": 12345678901234567890, "days": "null"}', '{"city": 12345678901234567890, "days": "null"}'],
  ['{"city": null, "other": null}', '{"city": null, "other": null}'],
])('%s without what is absent is %s', (json, expected) => {
  const input = { json, value: JSON.parse(json) as JsonObject, repairs: [] };
  expect(withoutAbsent(input, place(weather))).toMatchObject({ json: expected, value: JSON.parse(expected) });
});
