/** Pictures in requests to a server before others: models that see them get them, in each API. */
import { afterEach, describe, expect, it } from 'vitest';
import { createHandler, type Handler } from '../../src/serve/index.ts';
import { connectServer, type ServerKind } from '../../src/servers/index.ts';
import { PictureServer } from '../support/picture-server.ts';
import { chatTemplate } from '../support/small-chats.ts';

const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const url = `data:image/png;base64,${png}`;
const schema = { type: 'object', properties: {}, additionalProperties: false } as const;
const called = { name: 'look', arguments: '{}' } as const;

/** What an agent sends after a tool has returned a picture. */
const requests: Readonly<Record<string, { readonly sent: object; readonly place: string }>> = {
  '/v1/chat/completions': {
    place: 'messages[2].content[0]',
    sent: {
      tools: [{ type: 'function', function: { name: 'look', parameters: schema } }],
      messages: [
        { role: 'user', content: 'What is on a.png?' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'abcdefghi', type: 'function', function: called }],
        },
        { role: 'tool', tool_call_id: 'abcdefghi', content: [{ type: 'image_url', image_url: { url } }] },
      ],
    },
  },
  '/v1/responses': {
    place: 'input[2].output[0]',
    sent: {
      tools: [{ type: 'function', name: 'look', parameters: schema }],
      input: [
        { role: 'user', content: 'What is on a.png?' },
        { type: 'function_call', call_id: 'abcdefghi', ...called },
        {
          type: 'function_call_output',
          call_id: 'abcdefghi',
          output: [{ type: 'input_image', image_url: url }],
        },
      ],
    },
  },
  '/v1/messages': {
    place: 'messages[2].content[0].content[0]',
    sent: {
      max_tokens: 100,
      tools: [{ name: 'look', input_schema: schema }],
      messages: [
        { role: 'user', content: 'What is on a.png?' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'abcdefghi', name: 'look', input: {} }] },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'abcdefghi',
              content: [{ type: 'image', source: { type: 'base64', media_type: 'image/png', data: png } }],
            },
          ],
        },
      ],
    },
  },
  '/api/chat': {
    place: 'messages[0].images[0]',
    sent: { messages: [{ role: 'user', content: 'What is on it?', images: [png] }] },
  },
};

const open: PictureServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.stop();
});

async function gateway(
  kind: ServerKind,
  vision: boolean,
): Promise<{ server: PictureServer; handler: Handler }> {
  const server = await new PictureServer({ kind, chatTemplate, response: ['A ', 'cat.'], vision }).start();
  open.push(server);
  const told = kind === 'vllm' ? { vision } : {};
  const model = await connectServer({ kind, url: server.url, chatTemplate, retries: 0, ...told });
  return { server, handler: createHandler(model) };
}

function ask(handler: Handler, path: string, body: object): Promise<Response> {
  return handler(
    new Request(`http://gateway.test${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  );
}

describe.each(['llama-server', 'vllm', 'sglang'] as const)('before %s', (kind) => {
  it.each(Object.keys(requests))('%s passes a picture on, whole and streamed', async (path) => {
    const { server, handler } = await gateway(kind, true);
    for (const stream of [false, true]) {
      const response = await ask(handler, path, { ...requests[path]?.sent, stream });
      expect(await response.text()).toContain('cat.');
      expect(response.status).toBe(200);
      expect(response.headers.get('idiolect-ignored')).toBeNull();
      expect(server.asked.at(-1)?.pictures).toEqual([png]);
    }
  });

  it.each(Object.keys(requests))('%s tells a model that sees nothing, and the client', async (path) => {
    const { server, handler } = await gateway(kind, false);
    for (const stream of [false, true]) {
      const response = await ask(handler, path, { ...requests[path]?.sent, stream });
      expect(await response.text()).toContain('cat.');
      expect(response.headers.get('idiolect-ignored')).toBe(requests[path]?.place);
      expect(server.asked.at(-1)?.pictures).toEqual([]);
    }
  });

  it('says whether its model sees', async () => {
    for (const vision of [true, false]) {
      const { handler } = await gateway(kind, vision);
      const models = await (await handler(new Request('http://gateway.test/v1/models'))).json();
      expect(models).toMatchObject({ data: [{ capabilities: { vision } }] });
      const props = await (await handler(new Request('http://gateway.test/props'))).json();
      expect(props).toMatchObject({ modalities: { vision } });
    }
  });
});
