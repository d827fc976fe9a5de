/** Bodies of any kind: each is answered, or refused in the words of its API, and none is the server's fault. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHandler, type Handler, type ServableModel } from '../../src/serve/index.ts';
import { openTiny } from '../support/small-chats.ts';
import { call, question, weatherTool } from './served-models.ts';

const runs = process.env.LAWS === 'long' ? 3000 : 20;

const model = await openTiny({ contextSize: 2048 });
const faults: unknown[] = [];
let handler: Handler;
beforeAll(() => {
  handler = createHandler({ ...tiny(), name: 'tiny' }, { onError: (error) => faults.push(error) });
});
afterAll(async () => {
  await handler.close();
  await model.dispose();
});

/** Whatever is asked, it writes a few tokens: bodies are tried here, not responses. */
function tiny(): Omit<ServableModel, 'name'> {
  return { chat: (options) => model.chat({ ...options, maxTokens: Math.min(options.maxTokens ?? 3, 3) }) };
}

/** Requests that are right, to be broken in one place. */
const flat = { type: 'function', ...weatherTool.function };
const bodies = {
  '/v1/chat/completions': {
    model: 'tiny',
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Hello' }] },
      { role: 'assistant', content: null, tool_calls: [call('Bern')] },
      { role: 'tool', tool_call_id: 'abcdefghi', content: '21' },
    ],
    tools: [weatherTool],
    tool_choice: 'auto',
    parallel_tool_calls: false,
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
    logit_bias: { 5: 1 },
    stop: ['x'],
    stream: true,
    stream_options: { include_usage: true },
    reasoning_effort: 'low',
    chat_template_kwargs: { a: 1 },
    max_completion_tokens: 20,
    temperature: 1,
    seed: 5,
  },
  '/v1/responses': {
    model: 'tiny',
    instructions: 'Be brief.',
    input: [
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] },
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      { type: 'function_call', call_id: 'abcdefghi', name: 'get_weather', arguments: '{"city":"Bern"}' },
      { type: 'function_call_output', call_id: 'abcdefghi', output: '21' },
      { type: 'custom_tool_call', call_id: 'abcdefghj', namespace: 'n', name: 'note', input: 'x' },
      { type: 'custom_tool_call_output', call_id: 'abcdefghj', output: [{ type: 'input_text', text: '' }] },
    ],
    tools: [
      flat,
      { type: 'custom', name: 'note', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } },
      { type: 'namespace', name: 'mcp__files', description: 'Files.', tools: [{ ...flat, name: 'read' }] },
      { type: 'web_search' },
    ],
    tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'function', name: 'get_weather' }] },
    text: { format: { type: 'json_schema', name: 'x', schema: { type: 'object' } } },
    reasoning: { effort: 'low' },
    max_output_tokens: 20,
    stream: true,
  },
  '/v1/messages': {
    model: 'tiny',
    max_tokens: 20,
    system: [{ type: 'text', text: 'Be brief.' }],
    messages: [
      question,
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'get_weather', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '21' }] },
    ],
    tools: [{ name: 'get_weather', input_schema: weatherTool.function.parameters }],
    tool_choice: { type: 'auto' },
    thinking: { type: 'enabled', budget_tokens: 5 },
    output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
    stop_sequences: ['x'],
    stream: true,
  },
} as const;

/** Every place in a value. */
function placesOf(value: unknown): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [[]];
  const inside = Object.entries(value).flatMap(([key, each]) =>
    placesOf(each).map((place) => [key, ...place]),
  );
  return [[], ...inside];
}

function replaceAt(value: unknown, [key, ...rest]: readonly string[], by: unknown): unknown {
  if (key === undefined) return by;
  if (Array.isArray(value))
    return value.map((each, index) => (String(index) === key ? replaceAt(each, rest, by) : each));
  const fields = value as Readonly<Record<string, unknown>>;
  return { ...fields, [key]: replaceAt(fields[key], rest, by) };
}

/** Values that programs stumble over, and any others. */
const anyValue = fc.oneof(
  fc.constantFrom(
    null,
    '',
    '\0',
    0,
    -1,
    1e300,
    Number.MAX_SAFE_INTEGER,
    [],
    {},
    [null],
    [[]],
    true,
    '__proto__',
  ),
  fc.constantFrom({ type: 'function' }, { type: 'text' }, { $ref: '#' }, { role: 'tool' }, { toString: 1 }),
  fc.jsonValue({ maxDepth: 3 }),
);

async function ask(path: string, body: unknown): Promise<Response> {
  return handler(
    new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
}

/** 2xx, whose stream is read to its end, or 4xx in the API's shape. */
async function requireAnswer(path: string, body: unknown): Promise<void> {
  const response = await ask(path, body);
  const text = await response.text();
  expect(response.status, text).toBeLessThan(500);
  if (response.status < 300) return;
  const { error, ...rest } = JSON.parse(text);
  const code = path === '/v1/messages' ? {} : { code: expect.stringMatching(/./) };
  expect(error).toMatchObject({
    message: expect.stringMatching(/./),
    type: expect.stringMatching(/_error$/),
    ...code,
  });
  if (path === '/v1/messages') expect(rest).toMatchObject({ type: 'error', request_id: expect.any(String) });
}

describe.each(Object.entries(bodies))('%s', (path, body) => {
  it('takes the request that is right', async () => {
    const response = await ask(path, body);
    expect(response.status, await response.text()).toBe(200);
  });

  it('refuses, or answers, one that is another in one place', async () => {
    const place = fc.constantFrom(...placesOf(body));
    await fc.assert(
      fc.asyncProperty(place, anyValue, (at, value) => requireAnswer(path, replaceAt(body, at, value))),
      { numRuns: runs },
    );
    expect(faults).toEqual([]);
  });

  it('refuses any JSON value', async () => {
    const names = fc.constantFrom(...Object.keys(body));
    const anyBody = fc.oneof(fc.jsonValue(), fc.dictionary(names, anyValue));
    await fc.assert(
      fc.asyncProperty(anyBody, (value) => requireAnswer(path, value)),
      { numRuns: runs },
    );
    expect(faults).toEqual([]);
  });
});
