/** How `llama-server` itself speaks, as it was recorded: the client reads it, and the server of other tests speaks so. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ServerError } from '../../src/format/errors.ts';
import { isRecord } from '../../src/format/option-rules.ts';
import { llamaServer } from '../../src/servers/llama-server.ts';
import { ServerConnection } from '../../src/servers/server-connection.ts';
import type { ServerQuestion } from '../../src/servers/server-dialect.ts';
import {
  answerOf,
  type ExchangeAnswer,
  type ExchangeName,
  exchangeContext,
  exchangeModelFile,
  exchanges,
  recordedAnswers,
} from '../support/llama-exchanges.ts';
import { type ModelServer, serveModel } from '../support/model-server.ts';

const recorded = recordedAnswers();
const completion = llamaServer.complete(
  {
    prompt: [1],
    grammar: null,
    stops: [],
    preservedTokens: [],
    maxTokens: 1,
    free: true,
    sampling: {},
  },
  null,
);

/** A connection to a server that gives one recorded answer. */
function replaying({ status, contentType, json, events }: ExchangeAnswer): ServerConnection {
  const body = events?.map((data) => `data: ${JSON.stringify(data)}\n\n`).join('') ?? JSON.stringify(json);
  const fetch = async () => new Response(body, { status, headers: { 'content-type': contentType } });
  return new ServerConnection({ url: 'http://server.test', fetch });
}

async function pieces(name: ExchangeName) {
  const found = [];
  for await (const piece of replaying(recorded[name]).stream(completion, undefined)) found.push(piece);
  return found;
}

describe('the client', () => {
  const ask = <Answer>(name: ExchangeName, question: ServerQuestion<Answer>): Promise<Answer> =>
    replaying(recorded[name]).ask(question, undefined);

  it('reads what is served', async () => {
    expect(await ask('props', llamaServer.describe)).toEqual({
      name: null,
      contextSize: exchangeContext,
      chatTemplate: '{{ messages[0].content }}',
      toolUseTemplate: null,
      bosToken: '<s>',
      eosToken: '</s>',
      vision: false,
      isIdiolect: false,
    });
  });

  it('reads tokens, of which control tokens come only where they count', async () => {
    const [special, plain] = await Promise.all(
      (['tokens', 'tokens without control tokens'] as const).map((name) =>
        ask(name, llamaServer.tokenize('', null, true)),
      ),
    );
    const texts = special?.map(({ text }) => text) ?? [];
    expect(texts).toEqual(expect.arrayContaining(['<s>', '<|im_start|>', '<think>']));
    expect(plain?.map(({ text }) => text)).not.toContain('<|im_start|>');
    // Of half a character there is no text.
    expect(texts.at(-1)).toBe('');
  });

  it.each([
    ['a limit of tokens', 'length', /^/],
    ['a grammar', 'stop', /^(yes|no)$/],
    ['a text that stops', 'stop', /^one$/],
  ] as const)('reads %s', async (name, finish, written) => {
    const found = await pieces(name);
    expect(found.map((piece) => piece.text).join('')).toMatch(written);
    expect(found.at(-1)).toMatchObject({ finish, tokens: 0 });
    expect(found.slice(0, -1).every((piece) => piece.finish === null)).toBe(true);
    expect(found.every((piece) => Number.isInteger(piece.cachedTokens))).toBe(true);
  });

  it.each([
    ['a grammar that is none', 400, 'parse grammar'],
    ['a prompt that is too long', 400, 'exceeds the available context'],
    ['a path that there is none of', 404, 'Not Found'],
  ] as const)('tells of %s', async (name, status, reason) => {
    const failed = await pieces(name).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(ServerError);
    expect(failed).toMatchObject({ status, reason: expect.stringContaining(reason), transient: false });
  });
});

describe('the server of other tests', () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await serveModel(await exchangeModelFile(), 'llama-server');
  });
  afterAll(() => server.close());

  const asked = ['props', 'tokens', 'tokens without control tokens'] as const;
  it.each(asked)('says %s in the same words', async (name) => {
    const { json } = await answerOf(server.url, exchanges[name]);
    expect(recorded[name].json).toMatchObject(isRecord(json) ? json : {});
  });

  it.each(['a limit of tokens', 'a grammar', 'a text that stops'] as const)(
    'streams %s in the same shapes',
    async (name) => {
      const { events = [] } = await answerOf(server.url, exchanges[name]);
      const { events: real = [] } = recorded[name];
      const shapes = new Set(real.flatMap(shapeOf));
      expect(events.flatMap(shapeOf).filter((shape) => !shapes.has(shape))).toEqual([]);
      const [last, realLast] = [events.at(-1), real.at(-1)];
      if (!isRecord(last) || !isRecord(realLast)) throw new TypeError('an event that is no object');
      expect(last).toEqual({ content: realLast.content, stop: true, stop_type: realLast.stop_type });
    },
  );
});

/** Each field of an event with its type, and whether the event is the last one. */
function shapeOf(event: unknown): readonly string[] {
  if (!isRecord(event)) return [typeof event];
  return Object.entries(event).map(([key, value]) => `${key}: ${typeof value} (stop: ${event.stop})`);
}
