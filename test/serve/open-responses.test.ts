/** The cases of Open Responses that are about text, and the shapes of what breaks off. */
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { type RunningServer, serve } from '../../src/serve/index.ts';
import { openTiny } from '../support/small-chats.ts';
import { checkedFetch, eventsOf, requireEvent, requireResponse } from './open-responses-schema.ts';
import {
  answer,
  brokenModel,
  formats,
  isThoughtful,
  oneCall,
  serveTurns,
  weatherSchema,
} from './served-models.ts';

let served: RunningServer | null = null;
afterEach(async () => {
  await served?.close(AbortSignal.abort());
  served = null;
});

const random = await openTiny({ contextSize: 2048 });
afterAll(() => random.dispose());

const weather = { type: 'function', name: 'get_weather', parameters: weatherSchema };
const user = (content: string) => ({ type: 'message', role: 'user', content });

async function ask({ url }: RunningServer, body: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const asked = { method: 'POST', headers, body: JSON.stringify(body) };
  return (await checkedFetch(`${url}/v1/responses`, asked)).text();
}

describe.each(formats)('$name', ({ format }) => {
  const thoughts = isThoughtful(format) ? { reasoning_content: 'They ask.' } : {};

  it.each<[string, object, typeof answer]>([
    ['a basic response', { input: [user('Say hello.')] }, answer],
    ['a streamed response', { input: [user('Count from 1 to 5.')], stream: true }, answer],
    [
      'a system message',
      { input: [{ type: 'message', role: 'system', content: 'Talk like a pirate.' }, user('Hello.')] },
      answer,
    ],
    ['a call', { input: [user('The weather in Bern?')], tools: [weather] }, oneCall],
    ['a streamed call', { input: [user('The weather?')], tools: [weather], stream: true }, oneCall],
    [
      'several turns',
      { input: [user('I am Alice.'), { ...user('Hello Alice.'), role: 'assistant' }, user('Who am I?')] },
      answer,
    ],
  ])('%s has the shape that Open Responses says', async (_, body, turn) => {
    served = await serveTurns(format, [{ ...turn, ...thoughts }]);
    const text = await ask(served, { model: 'written', ...body });
    const isStream = 'stream' in body;
    const events = isStream ? eventsOf(text) : [];
    const response = isStream ? events.at(-1)?.response : JSON.parse(text);
    requireResponse(response);
    const kind = turn === oneCall ? 'function_call' : 'message';
    expect(response).toMatchObject({ status: 'completed' });
    expect((response as { output: { type: string }[] }).output.map(({ type }) => type)).toContain(kind);
    if (!isStream || kind === 'message') return;
    const item = expect.objectContaining({ type: 'function_call', name: 'get_weather' });
    for (const type of ['response.output_item.added', 'response.output_item.done'])
      expect(events).toContainEqual(expect.objectContaining({ type, item }));
    const types = events.map(({ type }) => type);
    expect(types).toContain('response.function_call_arguments.delta');
    expect(types).toContain('response.function_call_arguments.done');
  });
});

describe('what is sent has the published shapes', () => {
  it.each([false, true])('of random weights, and says what they were asked; streamed: %s', async (stream) => {
    served = await serve(random, { port: 0, defaults: { temperature: 1.5, seed: 3, maxTokens: 60 } });
    const asks = [
      { tools: [weather], tool_choice: 'required' },
      {
        tools: [weather],
        tool_choice: { type: 'function', name: 'get_weather' },
        reasoning: { effort: 'low' },
      },
      { text: { format: { type: 'json_schema', name: 'city', schema: weatherSchema } }, top_p: 0.5 },
      { text: { format: { type: 'json_object' } }, prompt_cache_key: 5, metadata: null },
      {},
    ];
    for (const fields of asks) {
      const text = await ask(served, { input: 'The weather in Bern?', stream, ...fields });
      const response = stream ? eventsOf(text).at(-1)?.response : JSON.parse(text);
      expect(response).toMatchObject({ temperature: 1.5, top_p: 'top_p' in fields ? 0.5 : 1 });
    }
  });

  it('of a response that fails on its way, whose events are numbered to the end', async () => {
    served = await serve(brokenModel(), { port: 0 });
    const events = eventsOf(await ask(served, { input: 'Hello', stream: true }));
    for (const event of events) requireEvent(event);
    expect(events.map(({ sequence_number }) => sequence_number)).toEqual(events.map((_, index) => index));
    expect(events.slice(-2)).toMatchObject([
      { type: 'response.failed', response: { status: 'failed', error: { code: 'internal_error' } } },
      { type: 'error', code: 'internal_error', error: { type: 'server_error', code: 'internal_error' } },
    ]);
  });

  it.each([{}, { status: 'completed' }, { object: 'response', output: [{}] }])(
    'which %j has not',
    (value) => {
      expect(() => requireResponse(value)).toThrow('must have');
      expect(() => requireEvent(value)).toThrow();
    },
  );
});
