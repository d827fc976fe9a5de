/**
 * Libraries that refuse what their JSON Schema allows are found out, asked while a call is written, and have the last
 * word: what is handed out is valid, and what cannot be is malformed, with the library's words.
 */
import { toStandardJsonSchema } from '@valibot/to-json-schema';
import { type } from 'arktype';
import fc from 'fast-check';
import * as v from 'valibot';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { compileSchema, jsonSyntax } from '../../src/json-schema/compile-schema.ts';
import { textSampler } from '../../src/language/expression/draw-text.ts';
import { RuleSet } from '../../src/language/expression/rule-set.ts';
import { libraryReport, withLibraries } from '../../src/runtime/chat/checks/strict-libraries.ts';
import { noPlace, ValueWatch } from '../../src/runtime/chat/checks/value-watch.ts';
import type { EngineModel } from '../../src/runtime/engine/index.ts';
import { type LibraryCheck, libraryCheck } from '../../src/tools/library-check.ts';
import { type SchemaInput, toJsonSchema } from '../../src/tools/standard-schema.ts';
import type { ToolSchema } from '../../src/tools/tools.ts';
import { seededRandom } from '../support/sample-grammar.ts';
import { openLlamaTiny, openTiny } from '../support/small-chats.ts';

const isEven = (value: number) => value % 2 === 0;
const valibot = (value: v.GenericSchema) => toStandardJsonSchema(v.strictObject({ a: v.boolean(), value }));

/** Schemas whose library refuses about half of what their JSON Schema allows, so that a model of random weights gets it right. */
const halves: Readonly<Record<string, ToolSchema>> = {
  'zod, refine': z.strictObject({ a: z.boolean(), value: z.int().min(0).max(99).refine(isEven) }),
  'zod, refine of the whole': z
    .strictObject({ a: z.boolean(), value: z.boolean() })
    .refine(({ a, value }) => a !== value, 'they must differ'),
  'zod, refine of an item': z.strictObject({
    a: z.boolean(),
    value: z.array(z.boolean().refine((b) => b)).max(2),
  }),
  'arktype, narrow': type({
    '+': 'reject',
    a: 'boolean',
    value: type('0 <= number.integer <= 99').narrow(isEven),
  }),
};

/** Schemas that a model of random weights hardly ever meets. */
const hopeless: Readonly<Record<string, ToolSchema>> = {
  'zod, jwt': z.strictObject({ a: z.boolean(), value: z.jwt().max(20) }),
  'zod, nothing': z.strictObject({ value: z.literal('only') }).refine(() => false, 'never'),
  'valibot, email': valibot(v.pipe(v.string(), v.email(), v.maxLength(12))),
};

const enforced: Readonly<Record<string, ToolSchema>> = {
  zod: z.strictObject({ city: z.string().min(2), days: z.int().min(1).max(7).optional() }),
  valibot: toStandardJsonSchema(v.strictObject({ unit: v.picklist(['C', 'F']), at: v.array(v.string()) })),
  arktype: type({ city: 'string', 'days?': '1 <= number.integer <= 7' }),
  'a promise': z.strictObject({ city: z.string().refine(async () => false) }),
  'plain JSON Schema': { type: 'object', properties: { city: { type: 'string' } } },
};

/** Schemas whose JSON Schema says all that the library asks for, in numbers and texts that are easily gotten wrong. */
const exported: Readonly<Record<string, ToolSchema>> = {
  'zod, multiples': z.strictObject({ value: z.number().multipleOf(17), other: z.number().multipleOf(0.1) }),
  'zod, texts': z.strictObject({ id: z.uuid(), at: z.iso.datetime(), from: z.ipv6(), to: z.cidrv4() }),
  'valibot, multiples': valibot(v.pipe(v.number(), v.multipleOf(17))),
  'valibot, entries': valibot(v.pipe(v.record(v.string(), v.number()), v.minEntries(1), v.maxEntries(2))),
  'arktype, multiples': type({ '+': 'reject', value: 'number % 17' }),
  'arktype, texts': type({ '+': 'reject', value: 'string.semver', other: 'string.base64' }),
};

const toolOf = (parameters: ToolSchema) => ({ name: 'note', parameters });

describe('which libraries are asked', () => {
  const thirds = valibot(v.pipe(v.number(), v.multipleOf(1 / 3)));
  it.each(Object.entries({ ...halves, ...hopeless, thirds }))('that of %s is', (_, schema) => {
    const asked = { tools: [toolOf(schema)] };
    expect(withLibraries(null, asked)?.libraries?.has('note')).toBe(true);
    expect(libraryReport(asked)).toMatchObject([{ tool: 'note', keyword: '~standard', effect: 'checked' }]);
  });

  it('that of an object of several formats is', () => {
    const text = z.string().refine((value) => value.length > 3);
    const formats = { mail: z.email(), at: z.iso.datetime(), id: z.uuid(), ip: z.ipv6(), site: z.url() };
    const names = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`name${at}`, z.string().max(40)]),
    );
    const asked = { tools: [toolOf(z.strictObject({ ...formats, ...names, text }))] };
    expect(libraryReport(asked)).toMatchObject([{ keyword: '~standard', effect: 'checked' }]);
  });

  it('that of a schema that is too large to be tried is not, and a line says so', () => {
    const deep = Array.from({ length: 40 }, (_, at) => [
      `p${at}`,
      z.string().regex(new RegExp(`^(a|b){${at + 90}}c`)),
    ]);
    const asked = { tools: [toolOf(z.strictObject(Object.fromEntries(deep)))] };
    expect(withLibraries(null, asked)).toBeNull();
    expect(libraryReport(asked)).toMatchObject([{ tool: 'note', keyword: '~standard', effect: 'noted' }]);
  });

  it.each(Object.entries(enforced))(
    'that of %s is not: its JSON Schema says all, or it needs time',
    (_, schema) => {
      expect(withLibraries(null, { tools: [toolOf(schema)] })).toBeNull();
      expect(libraryReport({ tools: [toolOf(schema)] })).toEqual([]);
    },
  );
});

it.each(Object.entries({ ...enforced, ...exported }))(
  'what is written for %s, its library takes, if no line says otherwise',
  (_, schema) => {
    const library = libraryCheck(schema);
    expect(libraryReport({ tools: [toolOf(schema)] })).toEqual([]);
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const rules = new RuleSet();
        const options = { rules, syntax: jsonSyntax, tool: '', policy: 'strict' } as const;
        const grammar = rules.grammar(
          'root',
          compileSchema(toJsonSchema(schema as SchemaInput), options).expression,
        );
        const draw = textSampler(grammar, seededRandom(seed));
        for (let count = 0; count < 10; count += 1) {
          const text = draw();
          expect([text, library?.problemsOf(JSON.parse(text)) ?? []]).toEqual([text, []]);
        }
      }),
      { numRuns: process.env.LAWS === 'long' ? 100 : 6 },
    );
  },
);

it('a part is refused as soon as it closes, by itself', () => {
  const schema = z.object({ first: z.int().refine(isEven), second: z.object({ x: z.string().min(3) }) });
  const library = withLibraries(null, { tools: [toolOf(schema)] })?.libraries?.get('note') as LibraryCheck;
  const watch = new ValueWatch(noPlace, library);
  expect(watch.feed('{"first": 2')).toBeNull();
  expect(watch.feed(', "second": {"x": "a')).toBeNull();
  expect(watch.feed('"}')).toMatchObject({
    start: 23,
    problems: [{ pointer: '/second/x' }],
    fromLibrary: true,
  });
  const other = new ValueWatch(noPlace, library);
  expect(other.feed('{"first": 3,')).toMatchObject({ start: 10, problems: [{ pointer: '/first' }] });
});

describe('in this process', () => {
  let model: EngineModel;
  beforeAll(async () => {
    model = await openTiny();
  });
  afterAll(() => model.dispose());
  const seeds = Array.from({ length: process.env.LAWS === 'long' ? 60 : 3 }, (_, seed) => seed);

  const callOf = (parameters: ToolSchema, seed: number, asked = model) =>
    asked.chat({
      messages: [{ role: 'user', content: 'Go.' }],
      tools: [toolOf(parameters)],
      toolChoice: 'required',
      parallelToolCalls: false,
      thinking: false,
      injectForcedText: seed % 2 === 0,
      temperature: 1,
      maxTokens: 400,
      seed,
    }).message;

  it.each(Object.entries(halves))('%s: every call is valid', async (_, schema) => {
    for (const seed of seeds) {
      const { tool_calls = [], malformed } = await callOf(schema, seed);
      expect(malformed).toBeUndefined();
      expect(tool_calls).toHaveLength(1);
      const input: unknown = JSON.parse(tool_calls[0]?.function.arguments ?? 'null');
      const verdict = await (schema as z.ZodType)['~standard'].validate(input);
      expect(verdict.issues).toBeUndefined();
    }
  });

  it.each(Object.entries(hopeless))(
    '%s: what is refused is malformed, in bounded time',
    async (_, schema) => {
      for (const seed of seeds) {
        const { tool_calls, malformed } = await callOf(schema, seed);
        expect(tool_calls).toBeUndefined();
        expect(malformed?.[0]?.brokenCall?.problems).toEqual([expect.any(String)]);
      }
    },
  );

  it('a response that goes back into a character stays well-formed on an engine with its own grammar', async () => {
    const llama = await openLlamaTiny();
    for (const seed of [0, 4, 10, 13]) {
      const { malformed } = await callOf(
        z.strictObject({ a: z.boolean(), value: z.jwt().max(20) }),
        seed,
        llama,
      );
      expect(malformed?.[0]?.brokenCall?.input).not.toContain('\uFFFD');
      expect(malformed?.[0]?.brokenCall?.problems).toEqual([expect.any(String)]);
    }
    await llama.dispose();
  });

  const answerOf = (schema: z.ZodType, seed: number) =>
    model.chat({
      messages: [{ role: 'user', content: 'Go.' }],
      responseFormat: { type: 'json_schema', json_schema: { schema } },
      thinking: false,
      temperature: 1,
      maxTokens: 400,
      seed,
    });

  it.each(Object.entries(halves))('%s: every answer is valid, and on one line', async (_, schema) => {
    for (const seed of seeds) {
      const stream = answerOf(schema as z.ZodType, seed);
      const { content, malformed } = await stream.message;
      expect(malformed).toBeUndefined();
      expect(content).not.toMatch(/\s[}\]]/);
      const verdict = await (schema as z.ZodType)['~standard'].validate(JSON.parse(content ?? 'null'));
      expect(verdict.issues).toBeUndefined();
      expect(await stream.report).toMatchObject([{ tool: '', keyword: '~standard' }]);
    }
  });

  const expectRefused = async (schema: z.ZodType, seed: number) => {
    const stream = answerOf(schema, seed);
    const { content, malformed, assurance } = await stream.message;
    expect({ content, assurance }).toEqual({ content: null, assurance: undefined });
    expect(malformed).toMatchObject([{ raw: expect.any(String), reason: expect.stringContaining('never') }]);
    expect(JSON.parse(malformed?.[0]?.raw ?? '')).toEqual({ value: expect.any(Boolean) });
    await expect(stream.object).rejects.toMatchObject({
      name: 'AnswerError',
      message: expect.stringContaining('never'),
    });
  };

  it('an answer that its library refuses is malformed, with its words', async () => {
    const never = z.strictObject({ value: z.boolean() }).refine(() => false, 'never');
    for (const seed of seeds) await expectRefused(never, seed);
  });

  it('so is one where no value that was tried was refused', async () => {
    let refuses = false;
    const sometimes = z.strictObject({ value: z.boolean().refine(() => !refuses, 'never') });
    const stream = answerOf(sometimes, 0);
    expect(await stream.message).toMatchObject({ assurance: 'enforced' });
    expect(await stream.report).toEqual([]);
    refuses = true;
    for (const seed of seeds) await expectRefused(sometimes, seed);
  });
});
