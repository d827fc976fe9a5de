/**
 * Law: whatever number a call has, its digits go through the server as they were written: from a request into the
 * conversation, whether arguments are text or an object, and from the model into a response.
 */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { parseExactJson } from '../../src/format/exact-json.ts';
import { writePython } from '../../src/format/write-values.ts';
import type { ChatOptions } from '../../src/runtime/chat/chat-options.ts';
import { renderPrompt } from '../../src/template/prompt/render-prompt.ts';
import { normalizeTools } from '../../src/tools/tools.ts';
import { anyFormat, question, serveTurns, weatherTool } from './served-models.ts';

const big = '{"id":1234567890123456789,"size":61.0,"share":[0.1234567890123456789,-0.0]}';
const called = { name: 'get_weather', arguments: big };
const calling = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'abcdefghi', type: 'function', function: called }],
} as const;
const served = await serveTurns(anyFormat, [calling, calling, calling]);
afterAll(() => served.close());

/** Numbers as JSON may spell them. */
const numbers = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.bigInt({ min: 0n, max: 10n ** 24n }),
    fc.constantFrom('', '.0', '.50', '.1234567890123456789'),
    fc.constantFrom('', 'e3', 'E-7', 'e+20'),
  )
  .map((parts) => parts.map(String).join(''));
const inputs = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    numbers,
    fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `{${items.map((item, i) => `"k${i}":${item}`)}}`),
  ),
})).value;

async function post(path: string, body: string): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${served.url}${path}`, { method: 'POST', headers, body });
  const text = await response.text();
  expect([response.status, text]).toEqual([200, text]);
  return text;
}

function argumentsIn(options: ChatOptions | undefined): string {
  const [, message] = options?.messages ?? [];
  const [call] = message?.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return call?.function.arguments ?? '';
}

/** Equal for texts that Python, where templates run, does not tell apart: `1E-7` and `1e-7`, not `1` and `1.0`. */
function asPython(json: string): string {
  return writePython(parseExactJson(json) ?? null);
}

/** A conversation in OpenAI's form; `input` is JSON. */
const chatBody = (input: string) => `{"messages": [${JSON.stringify(question)},
  {"role": "assistant", "content": null, "tool_calls": [{"id": "abcdefghi", "type": "function",
    "function": {"name": "get_weather", "arguments": ${input}}}]},
  {"role": "tool", "tool_call_id": "abcdefghi", "content": "21"}]}`;

const messagesBody = (input: string) => `{"max_tokens": 50, "messages": [${JSON.stringify(question)},
  {"role": "assistant", "content": [
    {"type": "tool_use", "id": "abcdefghi", "name": "get_weather", "input": ${input}}]},
  {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "abcdefghi", "content": "21"}]}]}`;

it.each([true, false])(
  "a response of Ollama's API has the digits that the model wrote, streamed: %s",
  async (stream) => {
    const body = JSON.stringify({ messages: [question], tools: [weatherTool], stream });
    expect(await post('/api/chat', body)).toContain(`"arguments":${big}`);
  },
);

it('a response of Messages has the digits that the model wrote', async () => {
  const tools = [{ name: 'get_weather', input_schema: { type: 'object' } }];
  const body = JSON.stringify({ max_tokens: 50, messages: [question], tools });
  expect(await post('/v1/messages', body)).toContain(`"input":${big}`);
});

it('a conversation has the digits that the client sent', async () => {
  const objects = inputs.map((value) => `{"value":${value}}`);
  await fc.assert(
    fc.asyncProperty(objects, async (input) => {
      for (const [path, body] of [
        ['/v1/chat/completions', chatBody(input)],
        ['/v1/chat/completions', chatBody(JSON.stringify(input))],
        ['/v1/messages', messagesBody(input)],
        ['/api/chat', `{"stream": false, ${chatBody(input).slice(1)}`],
      ] as const) {
        await post(path, body);
        expect(asPython(argumentsIn(served.model.asked.at(-1)))).toBe(asPython(input));
      }
    }),
    { numRuns: 40 },
  );
});

/** One tool with this schema as each API takes it: numbers are those of the text. */
const toolBodies: readonly (readonly [path: string, body: (schema: string) => string])[] = [
  [
    '/v1/chat/completions',
    (schema) => `{"messages": [${JSON.stringify(question)}],
      "tools": [{"type": "function", "function": {"name": "f", "parameters": ${schema}}}]}`,
  ],
  [
    '/v1/responses',
    (schema) => `{"input": "Q", "tools": [{"type": "function", "name": "f", "parameters": ${schema}}]}`,
  ],
  [
    '/v1/messages',
    (schema) => `{"max_tokens": 50, "messages": [${JSON.stringify(question)}],
      "tools": [{"name": "f", "input_schema": ${schema}}]}`,
  ],
  [
    '/api/chat',
    (schema) => `{"stream": false, "messages": [${JSON.stringify(question)}],
      "tools": [{"type": "function", "function": {"name": "f", "parameters": ${schema}}}]}`,
  ],
];

it.each(toolBodies)('a schema sent to %s is shown to the model as it was written', async (path, body) => {
  const template = '{% for m in messages %}{{ m.content }}{% endfor %}{{ tools[0].function.parameters }}';
  await fc.assert(
    fc.asyncProperty(numbers, async (number) => {
      const schema = `{"type": "object", "properties": {"share": {"enum": [${number}, 1]}}}`;
      await post(path, body(schema));
      const { messages = [], tools = [] } = served.model.asked.at(-1) ?? {};
      expect(renderPrompt(template, { messages, tools })).toContain(asPython(schema));
      expect(normalizeTools(tools)[0]?.function.parameters).toEqual(JSON.parse(schema));
    }),
    { numRuns: 20 },
  );
});

it('fields outside messages are numbers of JavaScript', async () => {
  const body = `{"max_tokens": 5e1, "temperature": 0.0, "messages": [${JSON.stringify(question)}]}`;
  await post('/v1/messages', body);
  expect(served.model.asked.at(-1)).toMatchObject({ maxTokens: 50, temperature: 0 });
  expect(parseExactJson(body)).not.toEqual(JSON.parse(body));
});
