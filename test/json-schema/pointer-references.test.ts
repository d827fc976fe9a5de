/** `/$defs/x` without its `#`, as some libraries write references, means the same in the grammar and in the check. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonSchema, JsonValue } from '../../src/format/messages.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { compileStrict } from './schema-tools.ts';

const names = ['a', 'b/c', 'd'];
const reference = fc
  .constantFrom(...names)
  .map((name): JsonSchema => ({ $ref: `#/$defs/${name.replace('/', '~1')}` }));
const leaf = fc.constantFrom<JsonSchema>({ type: 'string' }, { type: 'integer' }, { enum: [1, 'a'] });
const part = fc.oneof(reference, leaf);
const part2 = fc.oneof(
  part.map((items): JsonSchema => ({ type: 'array', items })),
  fc.tuple(part, part).map(([a, b]): JsonSchema => ({ type: 'object', properties: { a, b } })),
  leaf,
);
const schemas = fc.tuple(part2, part2, part2, part2).map(
  ([top, ...defs]): JsonSchema => ({
    ...(top as object),
    $defs: Object.fromEntries(names.map((name, index) => [name, defs[index] ?? true])),
  }),
);
const values = fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>;

test('a reference without # is the same reference', () => {
  fc.assert(
    fc.property(schemas, values, (schema, value) => {
      const bare: JsonSchema = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"/'));
      const [plain, written] = [compileStrict(schema), compileStrict(bare)];
      expect('gbnf' in written && written.gbnf).toBe('gbnf' in plain && plain.gbnf);
      const valid = (each: JsonSchema): boolean => compileValidator(each, '', {})(value).length === 0;
      expect(valid(bare)).toBe(valid(schema));
    }),
  );
});

test('a reference that leads nowhere is refused as before', () => {
  expect(compileStrict({ $ref: '/$defs/x', $defs: {} })).toHaveProperty('refused');
});
