/** `/openapi.json`: the same fields, values and answers as the server's own. */
import fs from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRecord } from '../../src/format/option-rules.ts';
import { fields as chat } from '../../src/serve/chat-completions/read-request.ts';
import { fields as completions, nativeFields } from '../../src/serve/completions/read-request.ts';
import type { FieldRule, FieldTable } from '../../src/serve/fields/field-table.ts';
import { type KnownFields, namesOf } from '../../src/serve/fields/known-fields.ts';
import { createHandler, type Handler } from '../../src/serve/index.ts';
import { fields as messages } from '../../src/serve/messages/read-request.ts';
import { chatFields, generateFields } from '../../src/serve/ollama/read-request.ts';
import { fields as responses } from '../../src/serve/responses/read-request.ts';
import { objectAt } from '../support/covering/handed.ts';
import { openTiny } from '../support/small-chats.ts';
import { question, weatherTool } from './served-models.ts';

const apis: Readonly<Record<string, KnownFields>> = {
  '/v1/chat/completions': chat,
  '/v1/responses': responses,
  '/v1/messages': messages,
  '/api/chat': chatFields,
  '/api/generate': generateFields,
  '/v1/completions': completions,
  '/completion': nativeFields,
};

const ajv = new Ajv2020({ strict: false });
const model = await openTiny({ contextSize: 2048 });
let handler: Handler;
let document: Readonly<Record<string, unknown>>;
beforeAll(async () => {
  handler = createHandler(model, { defaults: { maxTokens: 5 } });
  document = objectAt({ body: await (await ask('/openapi.json')).json() }, 'body');
});
afterAll(async () => {
  await handler.close();
  await model.dispose();
});

function ask(address: string, body?: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
  return handler(new Request(`http://localhost${address}`, { headers, ...init }));
}

function requestSchemaOf(address: string): Readonly<Record<string, unknown>> {
  return objectAt(document, 'paths', address, 'post', 'requestBody', 'content', 'application/json', 'schema');
}

function answerSchemaOf(address: string, method: string): Readonly<Record<string, unknown>> {
  return objectAt(
    document,
    'paths',
    address,
    method,
    'responses',
    '200',
    'content',
    'application/json',
    'schema',
  );
}

describe.each(Object.entries(apis))('%s', (address, known) => {
  it('tells every field', () => {
    expect(Object.keys(objectAt(requestSchemaOf(address), 'properties')).sort()).toEqual(
      [...namesOf(known)].sort(),
    );
  });
});

/** Values of all kinds, and those at the limits of the rules. */
const value = fc.oneof(
  fc.constantFrom(null, true, false, '', 'x', 'auto', 'text', 0, -1, -2, 1, 2, 0.5, 2.5, 1e15, 1e300, -1e300),
  fc.integer({ min: -30, max: 30 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.string(),
  fc.array(fc.constantFrom('', 'text', 'x', 1, null), { maxLength: 3 }),
  fc.dictionary(fc.string(), fc.constantFrom('x', 1, null), { maxKeys: 2 }),
);

function rulesIn(table: FieldTable, at: string): readonly (readonly [string, FieldRule])[] {
  return Object.entries(table).flatMap(([name, rule]) => [
    [`${at}.${name}`, rule] as const,
    ...rulesIn(rule.fields ?? {}, `${at}.${name}`),
  ]);
}

const rules = [...new Map(Object.entries(apis).flatMap(([at, { readFields }]) => rulesIn(readFields, at)))];

/** Of these, readers check the inside. */
function hasInside({ schema }: FieldRule): boolean {
  return /"(object|array)"|JSON Schema/.test(JSON.stringify(schema));
}

it('the description has the values that the server takes', () => {
  const [simple, others] = [
    rules.filter(([, rule]) => !hasInside(rule)),
    rules.filter(([, rule]) => hasInside(rule)),
  ];
  expect(simple.length).toBeGreaterThan(80);
  fc.assert(
    fc.property(fc.constantFrom(...simple), value, ([, { schema, allows }], given) => {
      expect(allows(given)).toBe(ajv.validate(schema, given));
    }),
    { numRuns: 2000 },
  );
  fc.assert(
    fc.property(fc.constantFrom(...others), value, ([, { schema, allows }], given) => {
      if (ajv.validate(schema, given)) expect(allows(given)).toBe(true);
    }),
    { numRuns: 1000 },
  );
});

const asked = { messages: [question], tools: [weatherTool], temperature: 0 };
it.each<[string, object]>([
  ['/v1/chat/completions', asked],
  ['/v1/responses', { input: question.content, tools: [{ type: 'function', ...weatherTool.function }] }],
  ['/v1/messages', { messages: [question], max_tokens: 40, thinking: { type: 'enabled' } }],
  ['/api/chat', { ...asked, temperature: undefined, stream: false }],
  ['/api/generate', { prompt: question.content, stream: false }],
  ['/v1/completions', { prompt: 'Once', max_tokens: 3 }],
  ['/completion', { prompt: 'Once', n_predict: 3 }],
  ['/v1/messages/count_tokens', { messages: [question] }],
  ['/v1/responses/input_tokens', { input: 'Hello' }],
  ['/v1/chat/completions/input_tokens', { messages: [question] }],
  ['/apply-template', { messages: [question] }],
  ['/api/show', { model: model.name }],
  ['/tokenize', { content: 'Hello' }],
  ['/detokenize', { tokens: [5, 6] }],
])('%s is asked and answers as it says', async (address, body) => {
  expect(ajv.validate(requestSchemaOf(address), JSON.parse(JSON.stringify(body)))).toBe(true);
  const response = await ask(address, body);
  expect(response.status).toBe(200);
  const answer: unknown = await response.json();
  ajv.validate(answerSchemaOf(address, 'post'), answer);
  expect(ajv.errors ?? []).toEqual([]);
});

it('every question without a body is answered as it says', async () => {
  for (const [address, methods] of Object.entries(objectAt(document, 'paths'))) {
    if (!isRecord(methods) || methods.get === undefined || address === '/metrics') continue;
    const answer: unknown = await (await ask(address.replace('{name}', model.name))).json();
    ajv.validate(answerSchemaOf(address, 'get'), answer);
    expect([address, ajv.errors ?? []]).toEqual([address, []]);
  }
});

it('every refusal has the shape of an error', async () => {
  const error = objectAt(document, 'components', 'schemas', 'Error');
  for (const [address, methods] of Object.entries(objectAt(document, 'paths'))) {
    if (!isRecord(methods) || methods.post === undefined) continue;
    const response = await ask(address, { model: 5, messages: 5, input: 5, prompt: 5, tokens: 5 });
    expect([address, response.status]).toEqual([address, 400]);
    expect(ajv.validate(error, await response.json())).toBe(true);
  }
});

/** `curl … http://127.0.0.1:8080/path --json '{…}'` in the pages. */
function examples(): readonly (readonly [string, string])[] {
  const docs = path.join(import.meta.dirname, '../../docs');
  const pages = fs.readdirSync(docs).filter((name) => name.endsWith('.md'));
  return pages.flatMap((name) => {
    const text = fs.readFileSync(path.join(docs, name), 'utf8');
    const found = text.matchAll(/curl[^\n]* http:\/\/[^/\s]+(\/\S+) --json '([^']*)'/g);
    return Array.from(found, ([, address = '', body = '']) => [address, body] as const);
  });
}

it('every request that the pages show is one', async () => {
  expect(examples().length).toBeGreaterThan(2);
  for (const [address, body] of examples()) {
    expect([address, ajv.validate(requestSchemaOf(address), JSON.parse(body))]).toEqual([address, true]);
  }
});
