/** How likely the tokens of an answer were, as servers say it, each in its dialect. */
import fc from 'fast-check';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';
import type { TextDelta } from '../../src/parser/events.ts';
import { serve } from '../../src/serve/index.ts';
import {
  connectServer,
  type ServerChatOptions,
  type ServerKind,
  type ServerModel,
} from '../../src/servers/index.ts';
import { readLlamaLogprobs, readOpenAiLogprobs } from '../../src/servers/server-logprobs.ts';
import { type ModelServer, serveModel } from '../support/model-server.ts';
import { chatTemplate } from '../support/small-chats.ts';
import { tinyModelFile, smallVocabulary as vocabulary } from '../support/small-vocabulary.ts';

const kinds: readonly ServerKind[] = ['llama-server', 'vllm', 'sglang'];
const messages = [{ role: 'user', content: 'Hello' }] as const;
const free = { messages, thinking: false, maxTokens: 12 } as const;
const schema = {
  type: 'object',
  properties: { city: { type: 'string', maxLength: 3 }, warm: { type: 'boolean' } },
  required: ['city', 'warm'],
  additionalProperties: false,
} as const;
const constrained = {
  messages,
  thinking: false,
  responseFormat: { type: 'json_schema', json_schema: { schema } },
} as const;

let server: ModelServer | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

async function open(kind: ServerKind): Promise<ServerModel> {
  const markers = ['<think>', '</think>', '<tool_call>', '</tool_call>'];
  const controls = ['<|im_start|>', '<|im_end|>'];
  server = await serveModel(await tinyModelFile({ vocabulary, markers, controls, chatTemplate }), kind);
  const said =
    kind === 'llama-server' ? {} : { chatTemplate: `{{- bos_token }}${chatTemplate}`, bosToken: '<s>' };
  return connectServer({ kind, url: server.url, ...said });
}

type Tokens = NonNullable<TextDelta['logprobs']>;

async function ask(model: ServerModel, options: ServerChatOptions) {
  const chat = model.chat(options);
  const tokens: Tokens[number][] = [];
  for await (const event of chat) if (event.type === 'text-delta') tokens.push(...(event.logprobs ?? []));
  return { content: (await chat.message).content ?? '', tokens };
}

const textOf = (tokens: Tokens): string => tokens.map(({ token }) => token).join('');

describe.each(kinds)('%s', (kind) => {
  it('tells the tokens of a JSON answer, which is the same as without', async () => {
    const model = await open(kind);
    const plain = await ask(model, constrained);
    const { content, tokens } = await ask(model, { ...constrained, logprobs: 2 });
    expect(content).toBe(plain.content);
    expect(plain.tokens).toEqual([]);
    expect(textOf(tokens)).toContain(content);
    for (const { logprob, top } of tokens) {
      expect(logprob).toBeLessThanOrEqual(0);
      expect(top.length).toBeLessThanOrEqual(2);
      const sorted = [...top].sort((one, other) => other.logprob - one.logprob);
      expect(top).toEqual(sorted);
    }
  });

  it('tells those of free text, with as many others as were asked for', async () => {
    const model = await open(kind);
    for (const logprobs of [0, 1, 3]) {
      const { content, tokens } = await ask(model, { ...free, logprobs });
      expect(tokens.length).toBeGreaterThan(0);
      // The last may hold half a character, which the answer leaves out.
      expect(textOf(tokens).trim().startsWith(content.trim().slice(0, -1))).toBe(true);
      for (const { top } of tokens) expect(top.length).toBeLessThanOrEqual(logprobs);
    }
  });
});

it('a server in front of a server passes them on', async () => {
  const model = await open('llama-server');
  const front = await serve(model, { port: 0, defaults: { thinking: false } });
  const client = new OpenAI({ baseURL: `${front.url}/v1`, apiKey: 'any', maxRetries: 0 });
  const { choices } = await client.chat.completions.create({
    model: model.name,
    messages: [...messages],
    max_tokens: 8,
    logprobs: true,
    top_logprobs: 2,
  });
  const tokens = choices[0]?.logprobs?.content ?? [];
  expect(tokens.length).toBeGreaterThan(0);
  for (const { top_logprobs: top } of tokens) expect(top.length).toBeLessThanOrEqual(2);
  await front.close();
});

describe('what a server says', () => {
  const told = { token: 'a', bytes: [97], logprob: -0.5 };

  it('is read in both dialects', () => {
    const others = [
      { ...told, id: 5 },
      { id: 6, token: 'b', bytes: [98], logprob: -1 },
      { id: 7, token: 'c', bytes: [99], logprob: -2 },
    ];
    const top = [told, { token: 'b', bytes: [98], logprob: -1 }];
    const llama = [{ id: 5, ...told, top_logprobs: others }];
    expect(readLlamaLogprobs(llama, 2)).toEqual([{ ...told, top }]);
    expect(readLlamaLogprobs(llama, 0)).toEqual([{ ...told, top: [] }]);
    const openAi = { tokens: ['a'], token_logprobs: [-0.5], top_logprobs: [{ c: -2, b: -1, a: -0.5 }] };
    expect(readOpenAiLogprobs(openAi, 2)).toEqual([{ ...told, top }]);
    expect(readOpenAiLogprobs({ ...openAi, top_logprobs: null }, 2)).toEqual([{ ...told, top: [] }]);
  });

  it('and cannot be read is left out, whatever it is', () => {
    const value = fc.oneof(fc.anything(), fc.constantFrom(null, 'a', -1, 1e9, Number.NaN, [97], [300]));
    const entry = fc.record(
      { token: value, bytes: value, logprob: value, top_logprobs: value },
      { requiredKeys: [] },
    );
    const lists = fc.record({ tokens: value, token_logprobs: value, top_logprobs: value });
    const given = fc.oneof(value, fc.array(fc.oneof(entry, value)), lists);
    const sound = (tokens: Tokens): boolean =>
      tokens.every(({ top, token, bytes, logprob }) =>
        [{ token, bytes, logprob }, ...top].every(
          (each) =>
            typeof each.token === 'string' &&
            each.logprob <= 0 &&
            each.logprob >= -9999 &&
            each.bytes.every((byte) => byte >= 0 && byte < 256),
        ),
      );
    fc.assert(
      fc.property(
        given,
        (answer) => sound(readLlamaLogprobs(answer, 3)) && sound(readOpenAiLogprobs(answer, 3)),
      ),
    );
  });
});
