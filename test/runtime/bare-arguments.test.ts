/** A call in place of an answer in JSON has arguments that are an object, whatever else its schema allows. */
import { expect, it } from 'vitest';
import { connectEngine } from '../../src/runtime/engine/index.ts';
import { scriptedEngine } from '../../src/testing/index.ts';

const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] } as const;
const responseFormat = { type: 'json_schema', json_schema: { name: 'answer', schema } } as const;

it.each([
  ['no type', {}, 'true'],
  ['no type', {}, '[1]'],
  ['two types', { type: ['object', 'null'] }, 'null'],
  ['alternatives', { anyOf: [{ type: 'object' }, { type: 'string' }] }, '"x"'],
] as const)('%s: %j, %s', async (_, parameters, written) => {
  const script = `<think>\n\n</think>\n\n{"name": "get", "arguments": ${written}}`;
  const model = await connectEngine(scriptedEngine({ turns: [{ script }] }));
  const tools = [{ type: 'function', function: { name: 'get', parameters } }] as const;
  const messages = [{ role: 'user', content: 'get it' }] as const;
  const message = await model.chat({ messages, temperature: 0, tools, responseFormat, maxTokens: 60 })
    .message;
  if (message.content !== null && message.content !== '') {
    expect(JSON.parse(message.content)).toMatchObject({ n: expect.any(Number) });
  } else {
    for (const { function: call } of message.tool_calls ?? [])
      expect(JSON.parse(call.arguments)).toBeTypeOf('object');
    expect([...(message.tool_calls ?? []), ...(message.malformed ?? [])]).not.toEqual([]);
  }
  await model.dispose();
});
