/** `mcpTools(client, { close: true })`: what is left is a part of what the server takes. */
import { Ajv } from 'ajv';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { closeSchema } from '../../src/mcp/close-schema.ts';
import { mcpTools } from '../../src/mcp/index.ts';

// Not Ajv2020: it keeps track of what is evaluated, and throws where an `anyOf` stands beside `patternProperties`.
const ajv = new Ajv({ strict: false });
const names = ['a', 'b', 'c'];

const { schema } = fc.letrec<{ schema: object }>((tie) => {
  const object = fc
    .record({
      properties: fc.dictionary(fc.constantFrom(...names), tie('schema')),
      required: fc.subarray(names, { maxLength: 1 }),
      others: fc.constantFrom({}, {}, { additionalProperties: true }, { patternProperties: { '^x': {} } }),
      parts: fc.option(tie('schema'), { nil: undefined }),
    })
    .map(({ others, parts, ...rest }) => ({
      type: 'object',
      ...rest,
      ...others,
      ...(parts === undefined ? {} : { anyOf: [parts, { required: ['c'] }] }),
    }));
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom({ type: 'integer' }, { type: 'string' }, {}),
      object,
      tie('schema').map((items) => ({ type: 'array', items })),
    ),
  };
});

const value = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom(1, 'x', null),
    fc.dictionary(fc.constantFrom(...names, 'x', 'other'), tie('value')),
    fc.array(tie('value'), { maxLength: 2 }),
  ),
})).value;

it('a closed schema takes nothing that the schema does not', () => {
  fc.assert(
    fc.property(schema, value, (given, each) => {
      if (ajv.validate(closeSchema(given) as object, each)) expect(ajv.validate(given, each)).toBe(true);
    }),
  );
});

it.each<[object, unknown, boolean]>([
  [{ type: 'object', properties: { a: {} } }, { a: 1, other: 1 }, false],
  [{ type: 'object', properties: { a: {} } }, { a: 1 }, true],
  [{ type: 'object', properties: { a: { type: 'object', properties: { b: {} } } } }, { a: { c: 1 } }, false],
  [{ type: 'array', items: { properties: { b: {} } } }, [{ c: 1 }], false],
  [{ type: 'object' }, { any: 1 }, true],
  [{ type: 'object', properties: { a: {} }, additionalProperties: { type: 'integer' } }, { other: 1 }, true],
  [{ properties: { a: {} }, allOf: [{ properties: { b: {} } }] }, { a: 1, b: 1 }, true],
  [{ $ref: '#/$defs/d', $defs: { d: { properties: { a: {} } } } }, { other: 1 }, true],
])('%j, closed, of %j: %s', (given, each, isValid) => {
  expect(ajv.validate(closeSchema(given) as object, each)).toBe(isValid);
});

it('closing schemas is an option of mcpTools', async () => {
  const inputSchema = { type: 'object', properties: { a: { type: 'string' } } } as const;
  const client = {
    listTools: async () => ({ tools: [{ name: 'f', inputSchema }] }),
    callTool: async () => ({}),
  };
  expect((await mcpTools(client))[0]?.parameters).toEqual(inputSchema);
  expect((await mcpTools(client, { close: true }))[0]?.parameters).toEqual({
    ...inputSchema,
    additionalProperties: false,
  });
});
