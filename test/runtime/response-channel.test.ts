/** What Node's `diagnostics_channel` is told of responses. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { expect, it } from 'vitest';
import { connectServer } from '../../src/servers/index.ts';
import { chatTemplate } from '../support/small-chats.ts';
import { StandInServer } from '../support/stand-in-server.ts';

const starts = 'idiolect:response:start';
const ends = 'idiolect:response:end';

/** What is told while `work` runs. */
async function toldOf(work: () => Promise<unknown>): Promise<readonly Record<string, unknown>[]> {
  const told: Record<string, unknown>[] = [];
  const listen = (message: unknown, name: string | symbol): void => {
    told.push({ ...(message as object), at: name === starts ? 'start' : 'end' });
  };
  subscribe(starts, listen);
  subscribe(ends, listen);
  try {
    await work();
    return told;
  } finally {
    unsubscribe(starts, listen);
    unsubscribe(ends, listen);
  }
}

async function standIn(response: readonly string[]): Promise<StandInServer> {
  return new StandInServer({ chatTemplate, response }).start();
}

const messages = [{ role: 'user', content: 'Rain?' }] as const;

it('the diagnostics channel tells an empty answer with its prompt and all that was written', async () => {
  const server = await standIn(['<think>', '\nHm.\n', '</think>', '\n\n']);
  const model = await connectServer({ kind: 'vllm', url: server.url });
  const told = await toldOf(() => model.chat({ messages }).message);
  expect(told).toHaveLength(2);
  const [start, end] = told;
  expect(start).toMatchObject({ at: 'start', prompt: expect.stringContaining('Rain?') });
  expect(end).toMatchObject({
    at: 'end',
    id: start?.id,
    prompt: start?.prompt,
    text: '<think>\nHm.\n</think>\n\n',
    message: { reasoning_content: 'Hm.' },
    usage: { promptTokens: expect.any(Number) },
    error: null,
  });
  await server.kill();
});

it('the diagnostics channel tells failures, and readers who leave', async () => {
  const server = await standIn(['One ', 'two ', 'three.']);
  const model = await connectServer({ kind: 'vllm', url: server.url, retries: 0 });
  const left = await toldOf(async () => {
    for await (const event of model.chat({ messages, thinking: false }))
      if (event.type === 'text-delta') break;
  });
  expect(left.at(-1)).toMatchObject({
    at: 'end',
    text: expect.stringContaining('One'),
    message: null,
    error: null,
  });
  await server.kill();
  const failed = await toldOf(() => model.chat({ messages }).message.catch(() => undefined));
  expect(failed.at(-1)).toMatchObject({ at: 'end', message: null, error: { name: 'ServerError' } });
  const refused = await toldOf(() => model.chat({ messages: [] }).message.catch(() => undefined));
  expect(refused).toMatchObject([{ prompt: null }, { prompt: null, text: '', usage: null, error: {} }]);
  expect(refused[1]?.id).not.toBe(failed[1]?.id);
});

it('the diagnostics channel changes nothing for those who do not listen', async () => {
  const server = await standIn(['Yes.']);
  const model = await connectServer({ kind: 'vllm', url: server.url });
  const unheard = await model.chat({ messages, thinking: false }).message;
  let heard = unheard;
  await toldOf(async () => {
    heard = await model.chat({ messages, thinking: false }).message;
  });
  expect(heard).toEqual(unheard);
  await server.kill();
});
