/** What an error of a schema says: where it is, and what. */
import { describe, expect, test } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { SchemaError, type SchemaIssue, UnsupportedOptionError } from '../../src/format/errors.ts';
import type { JsonSchema } from '../../src/format/messages.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import type { GrammarOptions } from '../../src/grammar/grammar-options.ts';
import { compileSchema, jsonSyntax } from '../../src/json-schema/compile-schema.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';

function reportOf(schema: JsonSchema): readonly SchemaIssue[] {
  try {
    return compileSchema(schema, { rules: new RuleSet(), syntax: jsonSyntax, tool: 't', policy: 'strict' })
      .issues;
  } catch (error) {
    if (error instanceof SchemaError) return error.issues;
    throw error;
  }
}

describe('a refusal', () => {
  test.each([{ const: '\ud800' }, { enum: ['\udc00', 'a\ud800'] }, { enum: [{ a: '\ud800' }] }])(
    'is what a list of values that cannot be written gets: %j',
    (schema) => {
      expect(reportOf(schema)).toContainEqual(
        expect.objectContaining({ pointer: '', reason: 'no value is valid against this schema' }),
      );
    },
  );

  test('names the sub-schema whose limits contradict each other', () => {
    const inner = {
      type: 'object',
      properties: { b: { type: 'string', minLength: 5, maxLength: 3 } },
      required: ['b'],
    };
    const schema = {
      type: 'object',
      properties: { a: { type: 'array', items: inner, minItems: 1 } },
      required: ['a'],
    };
    expect(reportOf(schema)).toMatchObject([
      {
        tool: 't',
        pointer: '/properties/a/items/properties/b',
        reason: 'no value is valid against this schema',
      },
    ]);
  });

  test.each<[string, JsonSchema]>([
    ['enum', { type: 'array', items: { type: 'string' }, enum: ['a', 'b'] }],
    ['const', { type: 'array', const: 'a' }],
  ])('names the %s of which no value fits', (keyword, a) => {
    const schema: JsonSchema = { type: 'object', properties: { a }, required: ['a'] };
    expect(reportOf(schema)).toMatchObject([{ pointer: '/properties/a', keyword }]);
  });

  describe('what turns out to be empty only while it is written', () => {
    const few = { type: 'array', minItems: 3, items: { enum: [1, 2] }, uniqueItems: true };
    const objectOf = (a: JsonSchema, required: readonly string[]): JsonSchema => ({
      type: 'object',
      properties: { a, b: true },
      required,
    });

    test.each<[string, JsonSchema]>([
      ['', few],
      [
        '',
        {
          type: 'array',
          minItems: 100,
          items: { type: 'integer', minimum: 1, maximum: 99 },
          uniqueItems: true,
        },
      ],
      ['/properties/a', objectOf(few, ['a'])],
      ['/$defs/few', { $ref: '#/$defs/t', $defs: { t: objectOf({ $ref: '#/$defs/few' }, ['a']), few } }],
    ])('is refused, %s', (pointer, schema) => {
      expect(reportOf(schema)).toMatchObject([{ pointer, reason: 'no value is valid against this schema' }]);
    });

    test.each<[JsonSchema, readonly string[]]>([
      [objectOf(few, []), ['noted']],
      [{ anyOf: [few, { type: 'null' }] }, []],
      [{ type: 'array', items: few }, []],
    ])('is left out where something else is valid: %j', (schema, effects) => {
      expect(reportOf(schema).map(({ effect }) => effect)).toEqual(effects);
    });
  });

  test.each<JsonSchema>([
    { type: 'object', properties: { a: true }, required: ['a', 'b'], additionalProperties: false },
    { type: 'object', required: ['b'], propertyNames: { enum: ['a'] } },
    { type: 'object', required: ['b'], properties: { b: false } },
  ])('names the key that is required and not allowed: %j', (inner) => {
    const schema = { type: 'object', properties: { x: inner }, required: ['x'] } as JsonSchema;
    expect(reportOf(schema)).toMatchObject([
      {
        pointer: '/properties/x',
        reason: 'no value is valid against this schema: the required key "b" is not allowed',
      },
    ]);
  });

  test('says that a count is too large', () => {
    expect(reportOf({ type: 'string', minLength: 1e12 })[0]?.reason).toContain('repetitions');
    expect(reportOf({ type: 'array', minItems: 1e12 })[0]?.reason).toContain('repetitions');
  });

  test('is none for thousands of items', () => {
    expect(reportOf({ type: 'array', minItems: 5000 })).toEqual([]);
  });

  test.each([
    [
      'a cycle',
      () => {
        const items: Record<string, JsonSchema> = {};
        items.items = items;
        return { type: 'array', items };
      },
      '/items/items',
    ],
    [
      'a number that is not finite',
      () => ({ properties: { a: { maximum: Number.NaN } } }),
      '/properties/a/maximum',
    ],
  ] as const)('names the place of %s', (_, make, pointer) => {
    expect(reportOf(make())).toMatchObject([{ tool: 't', pointer, keyword: 'schema', effect: 'widened' }]);
  });
});

describe('work is bounded', () => {
  test('an object that stands in ever more places is refused', () => {
    let schema: JsonSchema = { type: 'string' };
    for (let level = 0; level < 300; level += 1) {
      schema = { anyOf: [schema, { type: 'object', properties: { a: schema } }] };
    }
    expect(reportOf(schema)).toMatchObject([
      { keyword: 'schema', reason: expect.stringContaining('200000') },
    ]);
  });

  test.each([
    ['nested counts', { type: 'string', pattern: '^(a{1,1000}){1,1000}$' }],
    [
      'a thousand conditions',
      {
        allOf: Array.from({ length: 1000 }, (_, index) => ({
          properties: { [`p${index}`]: { type: 'string' } },
        })),
      },
    ],
  ])('%s end in a report', (_, schema) => {
    const tool = { type: 'object', properties: { a: schema } };
    expect(reportOf(tool)).not.toEqual([]);
  });

  test.each([
    ['maxLength', { type: 'string', maxLength: 2 ** 31 - 1 }],
    ['maxItems', { type: 'array', items: { type: 'null' }, maxItems: 2 ** 31 - 1 }],
  ])('%s of no consequence is narrowed', (keyword, schema) => {
    expect(reportOf({ type: 'object', properties: { a: schema } })).toMatchObject([
      { pointer: '/properties/a', keyword, effect: 'narrowed' },
    ]);
  });
});

describe('several tools', () => {
  const format = analyzeTemplate(
    '{% for m in messages %}<turn>{{ m.role }}\n{{ m.content }}{% for c in m.tool_calls %}<call>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}</call>{% endfor %}</turn>{% endfor %}{% if add_generation_prompt %}<turn>assistant\n{% endif %}',
  ).format;
  const tool = (name: string, text: JsonSchema) => ({
    type: 'function' as const,
    function: { name, parameters: { type: 'object', properties: { text } } },
  });
  const backReference = { type: 'string', pattern: '^(.)\\1$' };

  test('strict names every tool that it refuses', () => {
    const tools = [tool('a', backReference), tool('b', { type: 'string' }), tool('c', backReference)];
    expect(() => buildGrammar(format, { tools, toolChoice: 'required' })).toThrow(
      expect.objectContaining({
        issues: ['a', 'c'].map((name) => expect.objectContaining({ tool: name })),
      }),
    );
  });

  test.each([
    { toolChoice: {} },
    { toolChoice: { type: 'function' } },
    { toolChoice: { type: 'allowed_tools' } },
    { responseFormat: { type: 'bogus' } },
    { responseFormat: { type: 'json_schema' } },
  ])('options that are none are refused: %j', (wrong) => {
    const options = { tools: [tool('a', { type: 'string' })], ...wrong } as unknown as GrammarOptions;
    expect(() => buildGrammar(format, options)).toThrow(UnsupportedOptionError);
  });

  test('of equal schemas share their rules, and each is reported', () => {
    const tools = Array.from({ length: 50 }, (_, index) => tool(`tool${index}`, backReference));
    const options = { toolChoice: 'required', policy: 'degrade' } as const;
    const many = buildGrammar(format, { ...options, tools });
    const one = buildGrammar(format, { ...options, tools: tools.slice(0, 1) });
    expect(many.expression?.rules.size).toBe(one.expression?.rules.size);
    expect(many.report.map((issue) => issue.tool)).toEqual(tools.map((each) => each.function.name));
  });
});

describe('a report', () => {
  test('names types that do not exist', () => {
    expect(reportOf({ properties: { a: { type: ['string', 'text'] } } })).toMatchObject([
      { pointer: '/properties/a', keyword: 'type', effect: 'narrowed' },
    ]);
    expect(reportOf({ type: 'text' }).map(({ keyword }) => keyword)).toEqual(['type']);
  });

  test('says where null is not listed', () => {
    const listed = { type: 'string', nullable: true, enum: ['a'] };
    expect(reportOf(listed)).toMatchObject([{ keyword: 'nullable', effect: 'narrowed' }]);
    expect(reportOf({ ...listed, enum: ['a', null] })).toEqual([]);
  });
});
