/** What a model's template cannot write is the request's fault, and is said so: clients repeat what is the server's. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connectEngine, type EngineModel } from '../../src/runtime/engine/index.ts';
import { createHandler, type Handler } from '../../src/serve/index.ts';
import { scriptedEngine } from '../../src/testing/index.ts';
import { toyTemplates } from '../../src/testing/toy/templates.ts';
import { question, weatherSchema, weatherTool } from './served-models.ts';

/** It names each tool by its description, as gpt-oss's does, and refuses a word. */
const chatTemplate = toyTemplates.json
  .replace(
    '{{- tool.function | tojson',
    "{{- '// ' + tool.function.description + '\\n' }}{{- tool.function | tojson",
  )
  .replace(
    '{%- for message in messages %}',
    "{%- for message in messages %}{%- if message.content == 'no' %}{{- raise_exception('I take no no') }}{%- endif %}",
  );

let model: EngineModel;
let handler: Handler;
beforeAll(async () => {
  model = await connectEngine(scriptedEngine({ chatTemplate, turns: [{ script: 'It is warm.' }] }));
  handler = createHandler({ chat: (options) => model.chat(options), name: 'm' });
});
afterAll(async () => {
  await handler.close();
  await model.dispose();
});

const nameless = { type: 'function', function: { name: 'get_weather', parameters: weatherSchema } };

describe('a conversation that the template refuses', () => {
  it('is the fault of its messages where the template says so itself', async () => {
    const { status, error } = await ask({ messages: [{ role: 'user', content: 'no' }] });
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'conversation_refused', param: 'messages' });
    expect(error?.message).toContain('I take no no');
  });

  it('is the fault of the request where the template meets what it cannot write', async () => {
    const { status, error } = await ask({ messages: [question], tools: [nameless] });
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'conversation_refused', param: null });
  });

  it('is the fault of a call in the older notation, which no template reads', async () => {
    const older = {
      role: 'assistant',
      content: null,
      function_call: { name: 'get_weather', arguments: '{}' },
    };
    const { status, error } = await ask({ messages: [question, older, question] });
    expect(status).toBe(400);
    expect(error).toMatchObject({ code: 'invalid_message', param: 'messages[1].function_call' });
    expect(error?.message).toContain('tool_calls');
    // Clients send back what they got, with all fields.
    const empty = { role: 'assistant', content: 'Hello.', function_call: null };
    expect(await ask({ messages: [question, empty, question] })).toMatchObject({ status: 200 });
  });

  it('is answered once the template can write it', async () => {
    expect(await ask({ messages: [question], tools: [weatherTool] })).toMatchObject({ status: 200 });
  });
});

async function ask(body: object) {
  const response = await handler(
    new Request('http://localhost/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', ...body }),
    }),
  );
  const { error } = (await response.json()) as { error?: { message: string } };
  return { status: response.status, error };
}
