/** Stops that a client sends, in the three APIs: they end the answer, not the thoughts, and are told where there is a field. */
import { afterAll, describe, expect, it } from 'vitest';
import { createHandler } from '../../src/serve/index.ts';
import { openScriptedChat } from '../support/small-chats.ts';

const request = { messages: [{ role: 'user', content: 'How warm is it?' }] } as const;
const pieces = ['<think>', '\nIt may STOP.\n\nOr not.\n', '</think>', '\n\nIt rains. STOP No.', '<|im_end|>'];
const model = await openScriptedChat([{ request, pieces }]);
const handler = createHandler(model);
afterAll(() => model.dispose());

async function post(path: string, body: object): Promise<string> {
  return (await ask(path, body)).text();
}

async function ask(path: string, body: object): Promise<Response> {
  return handler(
    new Request(`http://localhost${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: model.name, temperature: 0, ...body }),
    }),
  );
}

const question = { messages: request.messages, max_tokens: 100 };

describe('stops', () => {
  it.each([' STOP', ['nowhere', ' STOP']])('end the text of chat completions: %j', async (stop) => {
    const { choices } = JSON.parse(await post('/v1/chat/completions', { ...question, stop }));
    expect(choices).toMatchObject([
      {
        finish_reason: 'stop',
        stop_reason: ' STOP',
        message: { content: 'It rains.', reasoning_content: expect.stringContaining('STOP') },
      },
    ]);
  });

  it('end the text of responses', async () => {
    const { output } = JSON.parse(await post('/v1/responses', { input: 'How warm is it?', stop: ' STOP' }));
    expect(output.at(-1)).toMatchObject({ type: 'message', content: [{ text: 'It rains.' }] });
  });

  it('end the text of messages, which tell the one that was found', async () => {
    const asked = { ...question, stop_sequences: ['\n\n', ' STOP'] };
    const told = { stop_reason: 'stop_sequence', stop_sequence: ' STOP' };
    const whole = JSON.parse(await post('/v1/messages', asked));
    expect(whole).toMatchObject({ ...told, content: [{ type: 'text', text: 'It rains.' }] });
    const streamed = await post('/v1/messages', { ...asked, stream: true });
    expect(streamed).toContain(JSON.stringify(told));
    const none = JSON.parse(await post('/v1/messages', question));
    expect(none).toMatchObject({ stop_reason: 'end_turn', stop_sequence: null });
  });

  const schema = { type: 'object', properties: { a: { type: 'boolean' } } };
  const named = { type: 'json_schema', schema };
  const choice = { response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } };

  it.each<[path: string, field: string, body: object]>([
    ['/v1/chat/completions', 'stop', { ...question, stop: '}', ...choice }],
    ['/v1/chat/completions', 'stop', { ...question, stop: '}', response_format: { type: 'json_object' } }],
    ['/v1/chat/completions', 'stop', { ...question, stop: ['}'], guided_choice: ['a}', 'b}'] }],
    ['/v1/responses', 'stop', { input: 'Hello', max_output_tokens: 9, stop: '}', text: { format: named } }],
    [
      '/v1/messages',
      'stop_sequences',
      { ...question, stop_sequences: ['}'], output_config: { format: named } },
    ],
    ['/api/chat', 'options.stop', { ...question, format: schema, options: { stop: ['}'], num_predict: 9 } }],
    [
      '/api/generate',
      'options.stop',
      { prompt: 'Hello', format: 'json', options: { stop: '}', num_predict: 9 } },
    ],
  ])('are told as ignored where they cannot count, in JSON: %s', async (path, field, body) => {
    const { headers } = await ask(path, { ...body, stream: false });
    expect(headers.get('idiolect-ignored')?.split(', ')).toContain(field);
  });

  it.each([{ stop: ' STOP' }, { stop: ' STOP', response_format: { type: 'text' } }, { stop: [], ...choice }])(
    'are not told where they count, or where there is none: %j',
    async (asked) => {
      const { headers } = await ask('/v1/chat/completions', { ...question, ...asked });
      expect(headers.get('idiolect-ignored')).toBeNull();
    },
  );
});

it.each([
  ['/v1/chat/completions', 'stop'],
  ['/v1/completions', 'stop'],
  ['/v1/messages', 'stop_sequences'],
])('more stops than can be searched for are refused: %s', async (path, field) => {
  for (const stops of [Array<string>(257).fill('x'), ['x'.repeat(1025)]]) {
    const response = await ask(path, { ...question, prompt: 'a', [field]: stops });
    expect(response.status).toBe(400);
    expect(await response.text()).toContain(`${field} must be an array of at most 256 strings`);
  }
});
