/**
 * Hostile schemas at every door: whatever takes a schema gives an answer or throws an error of the package, and what is
 * too large is refused before it is looked at.
 */
import { describe, expect, test } from 'vitest';
import { IdiolectError, SchemaError } from '../../src/format/errors.ts';
import type { JsonSchema } from '../../src/format/messages.ts';
import {
  argumentValidator,
  buildGrammar,
  buildStructuralTag,
  compileValidator,
  createResponseParser,
  normalizeTools,
  renderPrompt,
  spellValue,
} from '../../src/index.ts';
import { mcpTools } from '../../src/mcp/index.ts';
import { argumentChecks } from '../../src/runtime/chat/checks/argument-checks.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { million, notJson, odd, properties, tooLarge } from '../support/hostile-schemas.ts';
import { sampled } from '../support/sample.ts';
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
  'the check of a chat': (schema) => argumentChecks(normalizeTools(toolsOf(schema)))('t', value),
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

describe.each(Object.entries(tooLarge))('%s', (name, schema) => {
  test.each(sampled(Object.entries(doors), 10, name.length))('%s refuses them', async (_, door) => {
    expect(await thrownBy(door, schema)).toBeInstanceOf(IdiolectError);
  });
});

describe.each(Object.entries(notJson))('%s', (name, make) => {
  test.each(sampled(Object.entries(doors), 10, name.length))('%s refuses it', async (_, door) => {
    expect(await thrownBy(door, make())).toBeInstanceOf(IdiolectError);
  });
});

describe.each(Object.entries(odd))('%s', (name, make) => {
  test.each(sampled(Object.entries(doors), 14, name.length))(
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
