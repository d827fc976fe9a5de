/** Ollama's API, as its clients ask: without ids of calls, streamed by default, in JSON on lines. */
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { createHandler, serve } from '../../src/serve/index.ts';
import { keepAliveMs, keepAliveRule } from '../../src/serve/ollama/keep-alive.ts';
import { type Turn, writtenModel } from '../ai-sdk/written-model.ts';
import { openRepeatedAnswer } from '../support/small-chats.ts';
import {
  answer,
  call,
  formats,
  isThoughtful,
  oneCall,
  question,
  type Served,
  serveTurns,
  weatherSchema,
  weatherTool,
} from './served-models.ts';

let served: Served | null = null;
afterEach(async () => {
  await served?.close();
  served = null;
});

const anyFormat = formats.map(({ format }) => format).find(isThoughtful);

async function open(turns: readonly Turn[], format = anyFormat): Promise<Served> {
  if (format === undefined) throw new Error('no format has thoughts');
  served = await serveTurns(format, turns);
  return served;
}

async function post(path: string, body: object): Promise<Response> {
  return fetch(`${served?.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'written', ...body }),
  });
}

interface Line {
  readonly message: {
    readonly content: string;
    readonly thinking?: string;
    readonly tool_calls?: readonly Called[];
  };
  readonly done: boolean;
}

interface Called {
  readonly function: { readonly name: string; readonly arguments: object };
}

/** The message of a response, whole or folded from its lines. */
async function messageOf(response: Response): Promise<Line['message']> {
  const lines = (await response.text())
    .trimEnd()
    .split('\n')
    .map((line): Line => JSON.parse(line));
  expect(lines.map(({ done }) => done)).toEqual([...Array(lines.length - 1).fill(false), true]);
  const messages = lines.map(({ message }) => message);
  return {
    content: messages.map(({ content }) => content).join(''),
    thinking: messages.map(({ thinking = '' }) => thinking).join(''),
    tool_calls: messages.flatMap(({ tool_calls: calls = [] }) => calls),
  };
}

describe.each(formats)('$name', ({ format }) => {
  const thoughts = isThoughtful(format) ? 'They ask for the weather.' : '';
  const thinking = thoughts === '' ? {} : { reasoning_content: thoughts };

  it.each([undefined, true, false])('a tool loop, stream: %s', async (stream) => {
    const { model } = await open(
      [
        { ...oneCall, ...thinking },
        { ...answer, ...thinking },
      ],
      format,
    );
    const ask = async (messages: readonly object[]) => {
      const response = await post('/api/chat', { messages, tools: [weatherTool], stream });
      expect(response.headers.get('content-type')).toMatch(
        stream === false ? /^application\/json/ : 'application/x-ndjson',
      );
      return messageOf(response);
    };
    const first = await ask([question]);
    expect(first.tool_calls).toMatchObject([
      { function: { name: 'get_weather', arguments: { city: 'Bern' } } },
    ]);
    const calling = { role: 'assistant', ...first };
    const second = await ask([question, calling, { role: 'tool', tool_name: 'get_weather', content: '21' }]);
    expect(second).toMatchObject({ content: answer.content, thinking: thoughts });
    const [, called, told] = model.asked[1]?.messages ?? [];
    const id = called?.role === 'assistant' ? called.tool_calls?.[0]?.id : undefined;
    expect(called).toMatchObject({ tool_calls: [{ function: { name: 'get_weather' } }], ...thinking });
    expect(told).toMatchObject({ role: 'tool', tool_call_id: id, content: '21' });
  });
});

describe('results find their calls', () => {
  const calling = (...names: readonly string[]) => ({
    role: 'assistant',
    content: '',
    tool_calls: names.map((name) => ({ function: { name, arguments: {} } })),
  });

  it.each<[readonly object[], readonly number[]]>([
    [
      [calling('a', 'b'), { role: 'tool', content: '1' }, { role: 'tool', content: '2' }],
      [0, 1],
    ],
    [
      [
        calling('a', 'b'),
        { role: 'tool', tool_name: 'b', content: '1' },
        { role: 'tool', tool_name: 'a', content: '2' },
      ],
      [1, 0],
    ],
    [
      [
        calling('a'),
        { role: 'tool', content: '1' },
        calling('a'),
        { role: 'tool', tool_name: 'a', content: '2' },
      ],
      [0, 1],
    ],
  ])('%j', async (messages, order) => {
    const { model } = await open([answer]);
    expect((await post('/api/chat', { messages: [question, ...messages] })).status).toBe(200);
    const asked = model.asked[0]?.messages ?? [];
    const ids = asked
      .flatMap((each) => (each.role === 'assistant' ? (each.tool_calls ?? []) : []))
      .map(({ id }) => id);
    const told = asked.flatMap((each) => (each.role === 'tool' ? [each.tool_call_id] : []));
    expect(new Set(ids).size).toBe(ids.length);
    expect(told).toEqual(order.map((at) => ids[at]));
  });
});

describe('a request', () => {
  it.each<[object, object]>([
    [
      { options: { temperature: 0, top_k: 3, num_predict: 9, stop: ['x'], repeat_last_n: 5 } },
      { temperature: 0, topK: 3, maxTokens: 9, stop: ['x'], repeatLastN: 5 },
    ],
    [{ options: { num_predict: -1 } }, { temperature: 0.7, maxTokens: Number.MAX_SAFE_INTEGER }],
    [{ format: 'json' }, { responseFormat: { type: 'json_object' } }],
    [
      { format: weatherSchema },
      { responseFormat: { type: 'json_schema', json_schema: { schema: weatherSchema } } },
    ],
    [{ think: false, keep_alive: '5m' }, { thinking: false }],
    [{ think: 'high' }, { thinking: true, templateVariables: { reasoning_effort: 'high' } }],
  ])('%j asks for %j', async (fields, options) => {
    const { model } = await open([answer]);
    const response = await post('/api/chat', { messages: [question], ...fields });
    expect([response.status, response.headers.get('idiolect-ignored')]).toEqual([200, null]);
    expect(model.asked[0]).toMatchObject(options);
  });

  it.each<[string, object]>([
    ['/api/chat', { messages: [{ role: 'robot', content: '' }] }],
    ['/api/chat', { messages: [question], format: 'xml' }],
    ['/api/chat', { messages: [question], options: { temperature: 'hot' } }],
    ['/api/chat', { messages: [question], think: 5 }],
    ['/api/generate', { prompt: 'x', raw: true }],
    ['/api/generate', { prompt: 'x', suffix: 'y' }],
    ['/api/generate', { prompt: 5 }],
  ])('to %s of %j is refused in the API’s own words', async (path, body) => {
    await open([answer]);
    const response = await post(path, body);
    expect([response.status, await response.json()]).toEqual([400, { error: expect.any(String) }]);
  });

  it.each([-1, 0, 65_536])('for repetitions among the last %i tokens is answered', async (last) => {
    const model = await openRepeatedAnswer(['It rains.', '<|im_end|>']);
    onTestFinished(() => model.dispose());
    const options = { repeat_last_n: last, repeat_penalty: 1.1, num_predict: 9 };
    const response = await createHandler(model)(
      new Request('http://localhost/api/chat', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ messages: [question], stream: false, options }),
      }),
    );
    expect([response.status, await response.json()]).toMatchObject([
      200,
      { message: { content: 'It rains.' } },
    ]);
  });

  it('for more repeated tokens than are remembered is refused by its own name', async () => {
    await open([answer]);
    const response = await post('/api/chat', { messages: [question], options: { repeat_last_n: 65_537 } });
    const error = 'options.repeat_last_n must be an integer from -1 to 65536, got 65537';
    expect([response.status, await response.json()]).toEqual([400, { error }]);
  });

  it('names options that have no effect, and pictures that are described', async () => {
    const { model } = await open([answer]);
    const messages = [{ role: 'user', content: 'See:', images: ['iVBORw0KGgo='] }];
    const response = await post('/api/chat', { messages, options: { num_ctx: 4096 } });
    expect(response.headers.get('idiolect-ignored')).toBe('options.num_ctx, messages[0].images[0]');
    expect(model.asked[0]?.messages).toEqual([{ role: 'user', content: 'See:\n[file, image, 1 kB]' }]);
  });

  it('of one question is answered', async () => {
    const { model } = await open([answer]);
    const response = await post('/api/generate', { prompt: 'How warm?', system: 'Be brief.', stream: false });
    expect(await response.json()).toMatchObject({
      response: answer.content,
      done: true,
      done_reason: 'stop',
    });
    expect(model.asked[0]?.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'How warm?' },
    ]);
  });

  it.each(['/api/chat', '/api/generate'])('of no question opens the model: %s', async (path) => {
    const { model } = await open([answer]);
    expect(await (await post(path, {})).json()).toMatchObject({ done: true, done_reason: 'load' });
    expect((await post(path, { keep_alive: 'long' })).status).toBe(400);
    expect((await post(path, { model: 'other' })).status).toBe(404);
    expect(model.asked).toEqual([]);
  });

  it('whose answer a limit cuts says so, and hands out no call that is cut', async () => {
    for (const stream of [false, true]) {
      await open([{ ...oneCall, cut: 60 }]);
      const message = await messageOf(
        await post('/api/chat', { messages: [question], tools: [weatherTool], stream }),
      );
      expect(message.tool_calls).toEqual([]);
      await served?.close();
    }
  });
});

it('what clients of Ollama ask about version and models is answered', async () => {
  await open([{ ...answer, tool_calls: [call('Bern')] }]);
  const get = async (path: string): Promise<object> =>
    (await fetch(`${served?.url}${path}`)).json() as Promise<object>;
  expect(await get('/api/version')).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  expect(await get('/api/tags')).toMatchObject({ models: [{ name: 'written', model: 'written' }] });
  expect(await get('/api/ps')).toMatchObject({ models: [{ name: 'written' }] });
  const shown = await post('/api/show', { model: 'written:latest' });
  expect(await shown.json()).toMatchObject({ capabilities: expect.arrayContaining(['tools']) });
  expect((await post('/api/show', { model: 'other' })).status).toBe(404);
  expect(await (await post('/api/pull', {})).json()).toEqual({ error: expect.stringContaining('/api/chat') });
});

describe('keep_alive', () => {
  const log: string[] = [];

  /** Serves a model that the server opens itself. */
  async function openEntry(): Promise<void> {
    if (anyFormat === undefined) throw new Error('no format has thoughts');
    log.length = 0;
    const model = writtenModel(anyFormat, [answer]);
    const open = async () => {
      log.push('open');
      return { ...model, dispose: async () => void log.push('close') };
    };
    served = { ...(await serve([{ name: 'written', open }], { port: 0 })), model };
  }

  async function ask(path: string, body: object): Promise<unknown> {
    return (await post(path, { stream: false, ...body })).json();
  }

  it('closes the model after a while', async () => {
    await openEntry();
    await ask('/api/chat', { messages: [question], keep_alive: '1ms' });
    await expect.poll(() => log).toEqual(['open', 'close']);
  });

  it('of 0 closes it at once, and never opens it', async () => {
    await openEntry();
    expect(await ask('/api/generate', { keep_alive: 0 })).toMatchObject({ done_reason: 'unload' });
    expect(log).toEqual([]);
    await ask('/api/chat', { messages: [question] });
    expect(await ask('/api/chat', { messages: [], keep_alive: 0 })).toMatchObject({ done_reason: 'unload' });
    await expect.poll(() => log).toEqual(['open', 'close']);
  });

  it.each([
    [0, 0],
    ['0', 0],
    [2.5, 2500],
    ['1h30m', 5_400_000],
    ['1.5s', 1500],
    [-1, Number.POSITIVE_INFINITY],
    ['-1m', Number.POSITIVE_INFINITY],
    [undefined, undefined],
  ])('of %j is %s milliseconds', (given, milliseconds) => {
    expect(keepAliveRule.allows(given ?? 0)).toBe(true);
    expect(keepAliveMs(given)).toBe(milliseconds);
  });

  it.each(['', '5', 'm', '5 m', '5m ', '--5m', true, {}])('%j is refused', (given) => {
    expect(keepAliveRule.allows(given)).toBe(false);
  });
});
