/**
 * The check of values and the grammar judge alike: what one lets through, the other does, but for what the report owns
 * up to. Values are written from the grammar, changed at one place, or drawn from nothing.
 */
import fs from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonSchema, JsonValue } from '../../src/format/messages.ts';
import { lawTools } from '../support/law-tools.ts';
import { seededRandom } from '../support/sample-grammar.ts';
import { isValid } from './judge-values.ts';
import { judgements } from './judgements.ts';
import { anySchema, anyValue, compileStrict } from './schema-tools.ts';

const long = process.env.LAWS === 'long';
const seed = Number(process.env.SEED);
const drawnSchemas = long ? 450 : 20;
const valuesPerSchema = long ? 10_000 : 60;
/** Schemas of which most values have to be judged. Others are refused, or their report owns up to what differs. */
const leastJudged = long ? 300 : 10;

const given = lawTools.map(({ function: { parameters = true } }) => parameters);
/** `SCHEMAS=file.jsonl` adds the schemas of a file, `{schema}` or `{inputSchema}` a line. */
const ofFile = process.env.SCHEMAS === undefined ? [] : readSchemas(process.env.SCHEMAS);

test('the check of values and the grammar judge alike', () => {
  const random = seededRandom(seed);
  const drawn = fc.sample(anySchema, { numRuns: drawnSchemas, seed });
  const strangers = fc.sample(anyValue, { numRuns: 500, seed });
  const tally = { valid: 0, invalid: 0, schemas: 0 };
  const differences: string[] = [];
  for (const schema of [...given, ...ofFile, ...drawn]) {
    let judged = 0;
    for (const { value, accepted, valid } of judgements(schema, strangers, random, valuesPerSchema)) {
      tally[valid ? 'valid' : 'invalid'] += 1;
      judged += 1;
      if (accepted === valid) continue;
      differences.push(JSON.stringify({ schema, value, accepted, valid }));
      break;
    }
    if (judged > valuesPerSchema / 2) tally.schemas += 1;
  }
  if (long) console.log(`two judges, schemas and values: ${JSON.stringify(tally)}`);
  expect(differences).toEqual([]);
  expect(tally.schemas).toBeGreaterThanOrEqual(leastJudged);
  expect(tally.valid).toBeGreaterThan(drawnSchemas);
  expect(tally.invalid).toBeGreaterThan(drawnSchemas);
});

test('the siblings of `$ref` say nothing in draft 7, also to the check', () => {
  const inner = { $ref: '#/definitions/text', maxLength: 1, definitions: { other: { type: 'integer' } } };
  const properties = { a: inner, b: { $ref: '#/properties/a/definitions/other' } };
  const definitions = { text: { type: 'string' } };
  const schema = { $schema: 'http://json-schema.org/draft-07/schema#', properties, definitions };
  const values = [{ a: 'abc' }, { a: 1 }, { b: 1 }, { b: 'abc' }];
  expect(values.map((value) => isValid(schema, value))).toEqual([true, false, true, false]);
});

const named = (name: string, schema: JsonObject): JsonObject => ({
  $id: `https://example.org/${name}`,
  ...schema,
});

test.each<readonly [string, JsonSchema, JsonValue[], JsonValue[]]>([
  [
    'what `if` has looked at is evaluated where it holds, and only there',
    {
      if: { properties: { a: { const: 1 } }, required: ['a'] },
      ...Object.fromEntries([['else', { properties: { b: true } }]]),
      unevaluatedProperties: false,
    },
    [{ a: 1 }, { b: 1 }, {}],
    [{ a: 2 }, { a: 1, b: 1 }],
  ],
  [
    'an empty list of values allows none',
    { properties: { a: { enum: [] }, b: { type: 'array', uniqueItems: true } } },
    [{}, { b: [1] }],
    [{ a: 1 }, { b: [1, 1] }],
  ],
  [
    'names lead from resource to resource',
    named('int', {
      $defs: {
        a: named('list/', { $ref: 'int', $defs: { b: { $id: 'int', type: 'array', uniqueItems: true } } }),
      },
      $ref: 'list/',
    }),
    [[], [1, 'a']],
    [1, [1, 1]],
  ],
])('the check and the grammar agree: %s', (_, schema, valid, invalid) => {
  const compiled = compileStrict(schema);
  if ('refused' in compiled) throw compiled.refused;
  expect(valid.map((value) => isValid(schema, value))).toEqual(valid.map(() => true));
  expect(invalid.map((value) => isValid(schema, value))).toEqual(invalid.map(() => false));
});

function readSchemas(file: string): readonly JsonSchema[] {
  const lines = fs.readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line) => {
    if (line.trim() === '') return [];
    const { schema, inputSchema = true } = JSON.parse(line) as JsonObject;
    return [(schema ?? inputSchema) as JsonSchema];
  });
}
