/** A model that servers ask through their client: the official SDK's, with a server of the SDK. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  type CreateMessageRequest,
  CreateMessageRequestSchema,
  type CreateMessageResultWithTools,
  CreateMessageResultWithToolsSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterEach, describe, expect, it } from 'vitest';
import { type SamplingHandlerOptions, samplingHandler } from '../../src/mcp/index.ts';
import { type Turn, type WrittenModel, writtenModel } from '../ai-sdk/written-model.ts';
import { answer, anyFormat, brokenModel, call, oneCall, weatherSchema } from '../serve/served-models.ts';

let ended: (() => Promise<void>) | null = null;
afterEach(async () => {
  await ended?.();
  ended = null;
});

/** A server that may ask, and the model that answers. */
async function connected(
  turn: Turn,
  options: SamplingHandlerOptions & { readonly vision?: boolean } = {},
): Promise<{ readonly server: Server; readonly model: WrittenModel }> {
  const { vision = false, ...given } = options;
  const model = Object.assign(writtenModel(anyFormat, [turn]), { vision });
  const client = new Client(
    { name: 'host', version: '1.0.0' },
    { capabilities: { sampling: { tools: {} } } },
  );
  client.setRequestHandler(CreateMessageRequestSchema, samplingHandler(model, given));
  return { server: await serverOf(client), model };
}

async function serverOf(client: Client): Promise<Server> {
  const server = new Server({ name: 'asking', version: '1.0.0' }, { capabilities: {} });
  const [one, other] = InMemoryTransport.createLinkedPair();
  await Promise.all([client.connect(one), server.connect(other)]);
  ended = () => client.close();
  return server;
}

/** Asks as a server does, and reads the answer with the SDK's own schema. */
function ask(server: Server, params: Partial<CreateMessageRequest['params']> = {}) {
  const request = { messages: [user('How warm is it in Bern?')], maxTokens: 100, ...params };
  return server.request(
    { method: 'sampling/createMessage', params: request },
    CreateMessageResultWithToolsSchema,
  );
}

function user(text: string) {
  return { role: 'user' as const, content: { type: 'text' as const, text } };
}

const tools = [
  { name: 'get_weather', description: 'The weather.', inputSchema: { ...weatherSchema, required: ['city'] } },
];

function contentOf({ content }: CreateMessageResultWithTools): readonly object[] {
  return [content].flat();
}

describe('a server that asks the model of its client', () => {
  it('gets an answer, as one block', async () => {
    const { server, model } = await connected(answer);
    expect(
      await ask(server, { systemPrompt: 'Be brief.', temperature: 0.5, stopSequences: ['END'] }),
    ).toEqual({
      role: 'assistant',
      model: 'written',
      stopReason: 'endTurn',
      content: { type: 'text', text: answer.content },
    });
    expect(model.asked[0]).toMatchObject({
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'How warm is it in Bern?' },
      ],
      maxTokens: 100,
      temperature: 0.5,
      stop: ['END'],
      thinking: false,
    });
  });

  it('gets calls of its tools, and the answer to their results', async () => {
    const { server } = await connected(oneCall);
    const called = await ask(server, { tools, toolChoice: { mode: 'required' } });
    expect(called.stopReason).toBe('toolUse');
    const [use] = contentOf(called);
    expect(use).toMatchObject({ type: 'tool_use', name: 'get_weather', input: { city: 'Bern' } });
    await ended?.();
    const { server: again, model } = await connected(answer);
    const result = { type: 'tool_result' as const, toolUseId: 'abcdefghi', content: [text('21')] };
    const failed = { ...result, toolUseId: 'abcdefghj', content: [text('no such city')], isError: true };
    const second = { type: 'tool_use' as const, id: 'abcdefghj', name: 'get_weather', input: { city: 'X' } };
    const first = { ...second, id: 'abcdefghi', input: { city: 'Bern' } };
    await ask(again, {
      tools,
      messages: [
        user('How warm?'),
        { role: 'assistant', content: [text('I look.'), first, second] },
        { role: 'user', content: [result, failed] },
      ],
    });
    expect(model.asked[0]?.messages.slice(1)).toEqual([
      { role: 'assistant', content: 'I look.', tool_calls: [call('Bern'), call('X', 'abcdefghj')] },
      { role: 'tool', tool_call_id: 'abcdefghi', content: '21' },
      { role: 'tool', tool_call_id: 'abcdefghj', content: 'Error: no such city' },
    ]);
  });

  it('has its limit shortened, and may let the model think', async () => {
    const { server, model } = await connected(answer, { maxTokens: 20, thinking: true });
    await ask(server);
    expect(model.asked[0]?.maxTokens).toBe(20);
    expect(model.asked[0]?.thinking).toBeUndefined();
  });

  it.each([
    [
      true,
      [
        { type: 'text', text: 'See.' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
      ],
    ],
    [false, 'See.\n[file, image/png, 1 kB]'],
  ])('shows a picture to a model that sees: %s', async (vision, content) => {
    const { server, model } = await connected(answer, { vision });
    const picture = { type: 'image' as const, mimeType: 'image/png', data: 'AAAA' };
    await ask(server, { messages: [{ role: 'user', content: [text('See.'), picture] }] });
    expect(model.asked[0]?.messages).toEqual([{ role: 'user', content }]);
  });

  it('is told what fails', async () => {
    const handler = samplingHandler(brokenModel());
    const client = new Client({ name: 'host', version: '1.0.0' }, { capabilities: { sampling: {} } });
    client.setRequestHandler(CreateMessageRequestSchema, handler);
    await expect(ask(await serverOf(client))).rejects.toThrow(/the engine stopped/);
  });
});

function text(said: string) {
  return { type: 'text' as const, text: said };
}

it('a client that checks nothing is told what is wrong', async () => {
  const handler = samplingHandler(writtenModel(anyFormat, [answer]));
  const ask = (messages: unknown) => handler({ params: { messages, maxTokens: 1 } as never });
  await expect(ask(undefined)).rejects.toThrow('messages: must be a list');
  await expect(ask([{ role: 'system', content: text('x') }])).rejects.toThrow(/messages\[0\].*role/);
  await expect(ask([{ role: 'user', content: 'x' }])).rejects.toThrow(/messages\[0\].*content/);
  expect(() => samplingHandler('qwen' as never)).toThrow(/loadModel/);
});
