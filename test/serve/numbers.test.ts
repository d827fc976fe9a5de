/**
 * Law: whatever number a call has, its digits go through the server as they were written: from a request into the
 * conversation, whether arguments are text or an object, and from the model into a response.
 */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { parseExactJson } from '../../src/format/exact-json.ts';
import type { ChatOptions } from '../../src/runtime/chat/chat-options.ts';
import { anyFormat, question, serveTurns } from './served-models.ts';

const big = '{"id":1234567890123456789,"size":61.0,"share":[0.1234567890123456789,-0.0]}';
const called = { name: 'get_weather', arguments: big };
const calling = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'abcdefghi', type: 'function', function: called }],
} as const;
const served = await serveTurns(anyFormat, [calling]);
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

function argumentsIn(options: ChatOptions | undefined): unknown {
  const [, message] = options?.messages ?? [];
  return message?.role === 'assistant' ? message.tool_calls?.[0]?.function.arguments : undefined;
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
      ] as const) {
        await post(path, body);
        expect(argumentsIn(served.model.asked.at(-1))).toBe(input);
      }
    }),
    { numRuns: 40 },
  );
});

it('fields outside messages are numbers of JavaScript', async () => {
  const body = `{"max_tokens": 5e1, "temperature": 0.0, "messages": [${JSON.stringify(question)}]}`;
  await post('/v1/messages', body);
  expect(served.model.asked.at(-1)).toMatchObject({ maxTokens: 50, temperature: 0 });
  expect(parseExactJson(body)).not.toEqual(JSON.parse(body));
});
