/** Keywords whose values are of the wrong kind are reported; the meta-schemas say which those are. */
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { SchemaError, type SchemaIssue } from '../../src/format/errors.ts';
import type { JsonSchema, JsonValue } from '../../src/format/messages.ts';
import { compileSchema, jsonSyntax } from '../../src/json-schema/compile-schema.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';

const keywords = [
  ...['$ref', '$dynamicRef', 'type', 'enum', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else'],
  ...['minLength', 'maxLength', 'pattern', 'format', 'multipleOf'],
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  ...['items', 'prefixItems', 'additionalItems', 'contains', 'minContains', 'maxContains'],
  ...['minItems', 'maxItems', 'uniqueItems', 'unevaluatedItems', 'unevaluatedProperties'],
  ...['properties', 'patternProperties', 'additionalProperties', 'propertyNames', 'required'],
  ...['minProperties', 'maxProperties', 'dependentRequired', 'dependentSchemas', 'dependencies'],
];
const values: readonly JsonValue[] = [
  ...[null, true, false, -5, 0, 3, '', 'x', [], {}, ['a'], [null], [{}], [5]],
  ...[{ a: null }, { a: {} }, { a: ['b'] }, { a: [5] }, { a: 'b' }, { a: 5 }],
];
const cases = keywords.flatMap((keyword) => values.map((value) => ({ keyword, value })));

const judges = [
  [new Ajv2020({ strict: false }), 'https://json-schema.org/draft/2020-12/schema'],
  [new Ajv({ strict: false }), 'http://json-schema.org/draft-07/schema#'],
] as const;

/** Whether a draft takes the keyword with this value. Of those that do not know it, all do. */
function isMeant(schema: JsonSchema): boolean {
  return judges.every(([ajv, dialect]) => ajv.validate(dialect, schema) === true);
}

function linesOf(schema: JsonSchema): readonly SchemaIssue[] {
  try {
    return compileSchema(schema, { rules: new RuleSet(), syntax: jsonSyntax, tool: '', policy: 'degrade' })
      .issues;
  } catch (error) {
    if (error instanceof SchemaError) return error.issues;
    throw error;
  }
}

const samples = ['null', 'true', '-7', '0.5', '""', '"x"', '[]', '[1, 1]', '{}', '{"a": 1, "b": "x"}'];

/** Those of the samples that the grammar of a schema rejects. */
function rejected(schema: JsonSchema): readonly string[] {
  const rules = new RuleSet();
  const { expression } = compileSchema(schema, { rules, syntax: jsonSyntax, tool: '', policy: 'degrade' });
  const grammar = rules.grammar('root', expression);
  return samples.filter((text) => {
    const matcher = createMatcher(grammar);
    return !(matcher.accept(text) && matcher.complete);
  });
}

/** Known to older drafts only, or to newer ones: one of the two meta-schemas says nothing good of it. */
function isOfAnotherDraft({ keyword, value }: (typeof cases)[number]): boolean {
  const isList = Array.isArray(value) && value.every((each) => typeof each === 'object' && each !== null);
  return (keyword === 'items' && isList) || (keyword.startsWith('exclusive') && typeof value === 'boolean');
}

describe('a value that no draft has for the keyword', () => {
  const judged = cases.filter((each) => !isOfAnotherDraft(each));
  const wrong = judged.filter(({ keyword, value }) => !isMeant({ [keyword]: value }));
  const right = judged.filter(({ keyword, value }) => isMeant({ [keyword]: value }));

  test('is reported', () => {
    expect(wrong.length).toBeGreaterThan(cases.length / 2);
    const silent = wrong.filter(
      ({ keyword, value }) => !linesOf({ [keyword]: value }).some((line) => line.keyword === keyword),
    );
    expect(silent).toEqual([]);
  });

  test('leaves the schema as it is without the keyword, where it is said to mean nothing', () => {
    const ignored = wrong.filter(({ keyword, value }) =>
      linesOf({ [keyword]: value }).some(({ reason }) => reason.includes(', and means nothing')),
    );
    expect(ignored.length).toBeGreaterThan(cases.length / 3);
    const different = ignored.filter(({ keyword, value }) => rejected({ [keyword]: value }).length > 0);
    expect(different).toEqual([]);
    expect(rejected({ type: 'string' })).not.toEqual([]);
  });

  test('and no other is', () => {
    const lines = right.flatMap(({ keyword, value }) => linesOf({ [keyword]: value }));
    expect(lines.filter(({ reason }) => reason.includes('means nothing'))).toEqual([]);
  });
});

describe('under strict', () => {
  const compile = (schema: JsonSchema) =>
    compileSchema(schema, { rules: new RuleSet(), syntax: jsonSyntax, tool: 't', policy: 'strict' }).issues;

  test.each<[string, JsonValue]>([
    ['enum', 'x'],
    ['maxLength', -5],
    ['required', true],
    ['minimum', '3'],
    ['properties', { b: 'string' }],
    ['type', 'strng'],
    ['type', ['any']],
  ])('%s: %j is refused, at its place', (keyword, value) => {
    expect(() => compile({ type: 'object', properties: { a: { [keyword]: value } } })).toThrow(
      expect.objectContaining({
        issues: [
          expect.objectContaining({ tool: 't', pointer: '/properties/a', keyword, effect: 'widened' }),
        ],
      }),
    );
  });

  test.each<[string, JsonValue]>([
    ['maxLength', null],
    ['properties', null],
    ['required', false],
    ['minLength', -1],
  ])('%s: %j, which says nothing, is noted', (keyword, value) => {
    expect(compile({ type: 'object', properties: { a: { [keyword]: value } } })).toMatchObject([
      { pointer: '/properties/a', keyword, effect: 'noted' },
    ]);
  });

  test.each<[JsonSchema, readonly string[]]>([
    [{ enum: [] }, ['enum', 'schema']],
    [{ type: 'string', minLength: 3, maxLength: 2 }, ['schema']],
  ])('a property that nothing satisfies is left out, and noted: %j', (schema, noted) => {
    const issues = compile({ type: 'object', properties: { a: schema, b: false } });
    expect(issues.map(({ keyword }) => keyword)).toEqual(noted);
    for (const issue of issues) expect(issue).toMatchObject({ pointer: '/properties/a', effect: 'noted' });
  });
});

test.each([
  ['strng', 'string'],
  ['String', 'string'],
  ['int', 'integer'],
  ['objects', 'object'],
  ['Float', 'number'],
  ['dict', 'object'],
  ['list', 'array'],
  ['none', 'null'],
  ['text', 'string'],
  ['date', null],
  ['xyz', null],
])(
  'a type that does not exist is ignored, and reported with the one that is probably meant: %s',
  (type, meant) => {
    const lines = linesOf({ type: 'object', properties: { a: { type } } });
    expect(lines).toMatchObject([{ pointer: '/properties/a', keyword: 'type', effect: 'widened' }]);
    const asked = /is "(\w+)" meant\?$/.exec(lines[0]?.reason ?? '')?.[1] ?? null;
    expect(asked).toBe(meant);
  },
);

test.each([
  ['any', 'leave `type` out to allow any value'],
  ['date-time', 'is "string" with a `format` meant?'],
  ['string[]', 'is "array" with `items` meant?'],
  ['string|null', 'several types are a list: ["string","null"]'],
  ['enum', 'list the values with `enum`'],
])('a type in another notation is reported, with what to write: %s', (type, advice) => {
  const [line] = linesOf({ type: 'object', properties: { a: { type } } });
  expect(line?.reason.endsWith(`and means nothing; ${advice}`)).toBe(true);
});

test('of a list with types and other names, the types count', () => {
  const schema = { type: 'object', properties: { a: { type: ['string', 'nul'] } } };
  expect(linesOf(schema)).toMatchObject([{ pointer: '/properties/a', keyword: 'type', effect: 'narrowed' }]);
  const validate = compileValidator(schema);
  expect(validate({ a: 'x' })).toEqual([]);
  expect(validate({ a: 5 })).toHaveLength(1);
});

test('a type that does not exist is ignored by the check as well', () => {
  expect(compileValidator({ properties: { a: { type: 'strng', minLength: 2 } } })({ a: 5 })).toEqual([]);
});

test.each<JsonSchema>([
  { enum: ['a', '\ud800'] },
  { enum: [{ '\udfff': 1 }, 'b'] },
  { anyOf: [{ const: ['\ud83d'] }, { const: '😀' }] },
])('values with half a surrogate pair are reported: %j', (schema) => {
  expect(linesOf(schema)).toMatchObject([
    { effect: 'narrowed', reason: 'texts with half a surrogate pair cannot be written' },
  ]);
});

test('an empty list among listed values is a value, and not an empty list of schemas', () => {
  expect(linesOf({ enum: [[], {}, [[]]] })).toEqual([]);
});
