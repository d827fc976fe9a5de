/**
 * Hostile schemas at every door: whatever takes a schema gives an answer or throws an error of the package, and what is
 * too large is refused before it is looked at.
 */
import { describe, expect, test } from 'vitest';
import { IdiolectError, SchemaError } from '../../../src/format/errors.ts';
import type { JsonSchema, JsonValue } from '../../../src/format/messages.ts';
import {
  argumentValidator,
  buildGrammar,
  buildStructuralTag,
  compileValidator,
  createResponseParser,
  normalizeTools,
  renderPrompt,
  spellValue,
} from '../../../src/index.ts';
import { mcpTools } from '../../../src/mcp/index.ts';
import { argumentCheck } from '../../../src/runtime/chat/tool-loop/argument-checks.ts';
import { generatedFormats } from '../../support/generated-formats.ts';
import { sampled } from '../../support/sample.ts';
import { oneLine } from './schema-tools.ts';

const format = generatedFormats().find(({ name }) => name === 'qwen-qwen3-0.6b')?.format;
if (format === undefined) throw new Error('there is no format of Qwen3');

const value = { a: 'x' };
const toolsOf = (parameters: JsonSchema) =>
  [{ type: 'function', function: { name: 't', parameters } }] as const;
const template = '{% for tool in tools %}{{ tool | tojson }}{% endfor %}{{ messages[0].content }}';
const messages = [{ role: 'user', content: 'hi' }] as const;

/** All that takes a schema. */
const doors: Readonly<Record<string, (schema: JsonSchema) => unknown>> = {
  compileValidator: (schema) => compileValidator(schema)(value),
  argumentValidator: (schema) => argumentValidator(toolsOf(schema))('t', value),
  'the check of a chat': (schema) => argumentCheck(toolsOf(schema), 'degrade')?.('t', value),
  'tools, strict': (schema) => buildGrammar(format, { tools: toolsOf(schema), toolChoice: 'required' }),
  'tools, degraded': (schema) => buildGrammar(format, { tools: toolsOf(schema), policy: 'degrade' }),
  'tools, in any order': (schema) => buildGrammar(format, { tools: toolsOf(schema), argumentOrder: 'any' }),
  responseFormat: (schema) =>
    buildGrammar(format, { responseFormat: { type: 'json_schema', json_schema: { schema } } }),
  buildStructuralTag: (schema) => buildStructuralTag(format, { tools: toolsOf(schema) }),
  'normalizeTools, of MCP': (inputSchema) => normalizeTools([{ name: 't', inputSchema }]),
  'normalizeTools, of OpenAI': (schema) => normalizeTools(toolsOf(schema)),
  spellValue: (schema) => spellValue(schema, value, oneLine),
  renderPrompt: (schema) => renderPrompt(template, { messages, tools: toolsOf(schema) }),
  createResponseParser: (schema) => createResponseParser(format, { tools: toolsOf(schema) }).finish(),
  mcpTools: async (inputSchema) => {
    const tool = { name: 't', inputSchema: inputSchema as Record<string, unknown> };
    const client = { listTools: async () => ({ tools: [tool] }), callTool: async () => ({ content: [] }) };
    return normalizeTools(await mcpTools(client));
  },
};

/** What a door throws; `null` where it gives an answer. */
async function thrownBy(door: (schema: JsonSchema) => unknown, schema: unknown): Promise<unknown> {
  try {
    await door(schema as JsonSchema);
    return null;
  } catch (error) {
    return error;
  }
}

const million = 1_000_000;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index);
const about = (a: unknown) => ({ type: 'object', properties: { a } });
const textThat = (pattern: string) => about({ type: 'string', pattern });
const properties = (count: number, each: JsonValue) =>
  Object.fromEntries(numbers(count).map((index) => [`p${index}`, each]));

function nested(levels: number, wrap: (inner: JsonValue) => JsonValue): JsonValue {
  let schema: JsonValue = { type: 'string' };
  for (let level = 0; level < levels; level += 1) schema = wrap(schema);
  return schema;
}

/** Each of these is more than a schema may be. */
const tooLarge: Readonly<Record<string, unknown>> = {
  '300,000 properties': { type: 'object', properties: properties(300_000, true) },
  '300,000 definitions': { $ref: '#/$defs/p5', $defs: properties(300_000, {}) },
  'a million values': about({ enum: numbers(million) }),
  'a million branches': about({ anyOf: Array.from({ length: million }, () => ({ type: 'string' })) }),
  'a million required keys': { type: 'object', required: numbers(million).map((index) => `p${index}`) },
  'a list of holes': about({ enum: new Array(100 * million) }),
  'objects 100,000 deep': nested(100_000, (a) => about(a) as JsonValue),
  'lists 100,000 deep': about({ const: nested(100_000, (item) => [item]) }),
};

describe.each(Object.entries(tooLarge))('%s', (name, schema) => {
  test.each(sampled(Object.entries(doors), 2, name.length))('%s refuses them', async (_, door) => {
    expect(await thrownBy(door, schema)).toBeInstanceOf(IdiolectError);
  });
});

/** Objects that are not JSON, whatever they look like. */
const notJson: Readonly<Record<string, () => unknown>> = {
  'a getter that throws': () => ({
    type: 'object',
    get properties() {
      throw new Error('not today');
    },
  }),
  'a proxy that throws': () =>
    new Proxy(
      { type: 'object' },
      {
        ownKeys() {
          throw new Error('not today');
        },
      },
    ),
  'getters without end': () => {
    const endless = (): object => ({
      type: 'object',
      get items() {
        return endless();
      },
    });
    return endless();
  },
  'a BigInt': () => about({ const: 10n }),
  'undefined in a list': () => about({ enum: [undefined] }),
  'a number that is none': () => about({ minimum: Number.NaN }),
  'a function': () => about(() => true),
  'a symbol': () => about(Symbol('a')),
  'a Date': () => about({ default: new Date(0) }),
  'a Map': () => ({ type: 'object', properties: new Map([['a', {}]]) }),
  'a method `toJSON`': () => about({ type: 'string', toJSON: () => ({ type: 'integer' }) }),
  'an object in itself': () => {
    const self: Record<string, unknown> = { type: 'object' };
    self.properties = { self };
    return self;
  },
  'objects that unfold to 2^60': () =>
    about(numbers(60).reduce<object>((inner) => ({ anyOf: [inner, inner] }), {})),
};

describe.each(Object.entries(notJson))('%s', (name, make) => {
  test.each(sampled(Object.entries(doors), 2, name.length))('%s refuses it', async (_, door) => {
    expect(await thrownBy(door, make())).toBeInstanceOf(IdiolectError);
  });
});

/** These may be refused or not. */
const odd: Readonly<Record<string, () => unknown>> = {
  'a pattern of a million characters': () => textThat('a'.repeat(million)),
  'a million parentheses': () => textThat('('.repeat(million / 2) + ')'.repeat(million / 2)),
  'a constant of ten million characters': () => about({ const: 'x'.repeat(10 * million) }),
  'a key of a million characters': () => ({ type: 'object', properties: { ['k'.repeat(million)]: true } }),
  '30,000 properties': () => ({ type: 'object', properties: properties(30_000, true) }),
  '20,000 patterns of keys': () => ({
    type: 'object',
    patternProperties: Object.fromEntries(numbers(20_000).map((index) => [`a${index}.*`, true])),
  }),
  '`(a+)+$`': () => textThat('(a+)+$'),
  '`(a|a)*b`': () => textThat('(a|a)*b'),
  '`x{1000}{1000}`': () => textThat('x{1000}{1000}'),
  '`(x{1000}){1000}`': () => textThat('(x{1000}){1000}'),
  'a getter that changes its mind': () => {
    let reads = 0;
    return {
      get type() {
        reads += 1;
        return reads > 1 ? 'string' : 'object';
      },
    };
  },
  '`$async`': () => ({ $async: true, type: 'object', required: ['a'] }),
  'names of prototypes': () =>
    JSON.parse(
      `{"type": "object", "properties": {"__proto__": {"type": "integer"}, "toString": {"$ref": "#/$defs/__proto__"}},
        "required": ["__proto__", "constructor"], "dependentRequired": {"__proto__": ["valueOf"]},
        "$defs": {"__proto__": {"type": "integer"}, "constructor": {"$ref": "#/$defs/constructor"}}}`,
    ),
  'references to what all objects have': () => about({ $ref: '#/$defs/constructor/prototype' }),
  'references in a circle': () => ({
    ...about({ $ref: '#/$defs/a' }),
    $defs: {
      a: { $ref: '#/$defs/b' },
      b: { anyOf: [{ $ref: '#/$defs/a' }, { not: { $ref: '#/$defs/b' } }] },
    },
  }),
  'dynamic references in a circle': () => ({
    $dynamicRef: '#n',
    $defs: { n: { $dynamicAnchor: 'n', $dynamicRef: '#n' } },
  }),
  'halves of surrogate pairs': () => ({
    type: 'object',
    properties: { '\ud800': { const: '\udc00' }, b: { type: 'string', pattern: '\ud800' } },
    required: ['\ud800'],
  }),
};

describe.each(Object.entries(odd))('%s', (_, make) => {
  test.each(sampled(Object.entries(doors), 5))(
    '%s answers, or throws an error of the package',
    async (_, door) => {
      const thrown = await thrownBy(door, make());
      if (thrown !== null) expect(thrown).toBeInstanceOf(IdiolectError);
    },
  );
});

test('of a list that is too long no item is read, of an object no property', () => {
  let reads = 0;
  const counting: ProxyHandler<object> = {
    get(target, key) {
      if (typeof key === 'string' && /^p?\d+$/.test(key)) reads += 1;
      return Reflect.get(target, key);
    },
    getOwnPropertyDescriptor(target, key) {
      reads += 1;
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
  };
  const list = new Proxy(new Array(million).fill(1), counting);
  expect(() => compileValidator({ enum: list } as JsonSchema)).toThrow(SchemaError);
  const frozen = new Proxy(properties(300_000, true), {
    ...counting,
    getOwnPropertyDescriptor: undefined as never,
  });
  expect(() => compileValidator({ properties: frozen } as JsonSchema)).toThrow(SchemaError);
  expect(reads).toBe(0);
});
