/** Tools, calls and messages that the laws are tried on. */
import fc from 'fast-check';
import type { AssistantMessage, JsonObject, JsonValue, Tool } from '../../src/format/messages.ts';

function tool(name: string, properties: JsonObject, required: readonly string[]): Tool {
  return {
    type: 'function',
    function: {
      name,
      description: `The function ${name}.`,
      parameters: { type: 'object', properties, required: [...required], additionalProperties: false },
    },
  };
}

function described(schema: JsonObject): JsonObject {
  return { ...schema, description: 'A parameter.' };
}

/**
 * Names that are prefixes of each other, every JSON type, nullable values, enums, nesting, required after
 * optional, and a function without arguments.
 */
export const lawTools: readonly Tool[] = [
  tool(
    'get_weather',
    {
      city: described({ type: 'string' }),
      days: described({ type: 'integer' }),
      unit: described({ type: 'string', enum: ['celsius', 'fahrenheit', 'c'] }),
    },
    ['city'],
  ),
  tool(
    'get_weather_forecast',
    { place: described({ type: 'string' }), exact: described({ type: 'boolean' }) },
    ['exact'],
  ),
  tool(
    'create_event',
    {
      note: described({ type: ['string', 'null'] }),
      title: described({ type: 'string' }),
      price: described({ type: 'number' }),
      tags: described({ type: 'array', items: { type: 'string' } }),
      attendees: described({
        type: 'array',
        items: {
          type: 'object',
          properties: { name: { type: 'string' }, age: { type: 'integer' } },
          required: ['name'],
          additionalProperties: false,
        },
      }),
      options: described({
        type: 'object',
        properties: { public: { type: 'boolean' }, level: { type: ['integer', 'null'] } },
        required: ['public'],
        additionalProperties: false,
      }),
    },
    ['title'],
  ),
  tool('list_files', {}, []),
];

/** Plain text of a person: words, punctuation, other scripts; no blanks at the ends. */
export const plainText = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        'The',
        'sun',
        'is',
        'out',
        'in',
        'Zürich,',
        'día',
        '東京',
        '😀',
        'x=1;',
        'a "quoted" word',
        "it's",
      ),
      fc.string({ minLength: 1, maxLength: 5, unit: fc.constantFrom(...'abcdefgh.,!?') }),
    ),
    { minLength: 1, maxLength: 8 },
  )
  .map((words) => words.join(' '));

const argumentText = fc.oneof(
  plainText,
  fc.constantFrom(
    '',
    ' padded ',
    'two\nlines',
    'back\\slash',
    '"',
    "'",
    '{"a": 1}',
    '[1]',
    '5',
    'true',
    'null',
    'a < b & c > d',
  ),
);

/** Values that a schema of the forms in `lawTools` allows. */
function schemaValue(schema: JsonObject): fc.Arbitrary<JsonValue> {
  if (Array.isArray(schema.enum)) return fc.constantFrom<JsonValue>(...schema.enum);
  const types: readonly JsonValue[] = Array.isArray(schema.type) ? schema.type : [schema.type ?? 'string'];
  // Where text alone tells types apart, a nullable string cannot be the text "null": it is null.
  const ambiguous = (value: JsonValue) => types.includes('null') && (value === 'null' || value === 'None');
  return fc.oneof(...types.map((type) => typedValue(type, schema))).filter((value) => !ambiguous(value));
}

function typedValue(type: JsonValue, schema: JsonObject): fc.Arbitrary<JsonValue> {
  switch (type) {
    case 'integer':
      return fc.integer({ min: -1000, max: 1_000_000 });
    case 'number':
      return fc.oneof(fc.integer({ min: -9, max: 9 }), fc.constantFrom(0.5, -12.25, 3.125));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return fc.array(schemaValue(objectIn(schema.items)), { maxLength: 3 });
    case 'object':
      return objectOf(schema);
    default:
      return argumentText;
  }
}

function objectOf(schema: JsonObject): fc.Arbitrary<JsonObject> {
  const properties = objectIn(schema.properties);
  const required = Array.isArray(schema.required) ? schema.required : [];
  const keys = Object.keys(properties);
  const values = Object.fromEntries(keys.map((key) => [key, schemaValue(objectIn(properties[key]))]));
  return fc
    .record(values, { requiredKeys: keys.filter((key) => required.includes(key)) })
    .map((object) =>
      Object.fromEntries(keys.filter((key) => key in object).map((key) => [key, object[key] ?? null])),
    );
}

function objectIn(value: JsonValue | undefined): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  return {};
}

/** A call of one of `lawTools` with arguments that its schema allows, in the schema's order. */
const lawCall = fc.constantFrom(...lawTools).chain((offered) =>
  schemaValue(objectIn(offered.function.parameters as JsonValue)).map((args) => ({
    name: offered.function.name,
    arguments: args as JsonObject,
  })),
);

/** Ids of nine letters and digits, which every template accepts. */
export function callId(index: number): string {
  return `call0000${index}`;
}

/** Up to three calls, content and reasoning, in the combinations that a model writes. */
export const lawMessage: fc.Arbitrary<AssistantMessage> = fc
  .record({
    content: fc.option(plainText, { nil: '' }),
    reasoning: fc.option(plainText, { nil: undefined }),
    calls: fc.array(lawCall, { maxLength: 3 }),
  })
  .filter(({ content, calls }) => content !== '' || calls.length > 0)
  .map(({ content, reasoning, calls }) => ({
    role: 'assistant' as const,
    content,
    ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map((call, index) => ({
            id: callId(index),
            type: 'function' as const,
            function: { name: call.name, arguments: JSON.stringify(call.arguments) },
          })),
        }),
  }));
