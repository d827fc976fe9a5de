/** Ids of calls are unlike those of all other requests: clients with several conversations find results by them. */
import { expect, it } from 'vitest';
import { createHandler } from '../../src/serve/index.ts';
import { openScriptedChat } from '../support/small-chats.ts';

const request = { messages: [{ role: 'user', content: 'How warm is it?' }] } as const;
const call = '\n{"name": "get_weather", "arguments": {"city": "Bern"}}\n';
const section = ['<tool_call>', call, '</tool_call>'];
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

it('differ between equal requests, and within one', async () => {
  const pieces = [...section, '\n', ...section, '<|im_end|>'];
  const model = await openScriptedChat([{ request, pieces }]);
  const handler = createHandler(model);
  const body = JSON.stringify({
    ...request,
    temperature: 0,
    tools: [{ type: 'function', function: { name: 'get_weather', parameters } }],
  });
  const ids: string[] = [];
  for (let turn = 0; turn < 3; turn += 1) {
    const headers = { 'content-type': 'application/json' };
    const asked = new Request('http://localhost/v1/chat/completions', { method: 'POST', headers, body });
    const { choices } = JSON.parse(await (await handler(asked)).text());
    for (const { id } of choices[0].message.tool_calls) ids.push(id);
  }
  expect(new Set(ids).size).toBe(6);
  for (const id of ids) expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
  await model.dispose();
});
