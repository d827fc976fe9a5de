/**
 * A loop that samples by itself writes what a chat writes: a made-up engine, which calls back with logits, over the toy
 * and over scripts, in three
 * formats.
 */
import path from 'node:path';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { pagePrograms } from '../../scripts/page-programs.ts';
import { DecodingError, UnsupportedOptionError } from '../../src/index.ts';
import { defaultSampling } from '../../src/runtime/chat/sampling-rules.ts';
import {
  type ChatOptions,
  connectEngine,
  type Engine,
  type Mask,
  maskLogits,
  type SteerOptions,
  steer,
} from '../../src/runtime/engine/index.ts';
import { toyEngine } from '../../src/testing/index.ts';
import { sampled as drawn } from '../support/sample.ts';

const formats = ['json', 'tags', 'channels'] as const;

const weather = {
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: {
    type: 'object',
    properties: {
      city: { enum: ['Bern', 'Oslo', 'Lima'] },
      days: { type: 'integer', minimum: 5, maximum: 9 },
    },
    required: ['city', 'days'],
    additionalProperties: false,
  },
} as const;

const messages = [{ role: 'user', content: 'What is the weather in Paris for 3 days? <|im_end|>' }] as const;

/** The likeliest token after `tokens`, by logits that `change` may change. */
async function likeliest(
  engine: Engine,
  tokens: readonly number[],
  change: (logits: Float32Array) => void,
): Promise<number> {
  const all = engine.tokenizer.texts.length;
  const sampling = { ...defaultSampling, logprobs: all };
  const sequence = await engine.open({ tokens, turnStart: tokens.length }, sampling);
  const { probabilities = new Map() } = await sequence.next(tokens.slice(-1), null);
  await sequence.close();
  const logits = new Float32Array(all).fill(-1e9);
  for (const [token, probability] of probabilities) logits[token] = Math.log(probability);
  change(logits);
  return logits.reduce((best, logit, token) => (logit > (logits[best] ?? 0) ? token : best), 0);
}

/** The response of a loop with this way to apply a mask. */
async function sampled(engine: Engine, options: SteerOptions) {
  const { chatTemplate, contextSize, model, tokenizer } = engine;
  const response = await steer({ chatTemplate, contextSize, model, tokenizer }, options);
  const events: unknown[] = [];
  const promptTokens = response.tokens.length;
  while (!response.over) {
    const { mask } = response;
    events.push(
      ...response.accept(await likeliest(engine, response.tokens, (logits) => maskLogits(logits, mask))),
    );
  }
  const { events: last, message } = response.finish();
  return { events: [...events, ...last], message, promptTokens };
}

async function chatted(engine: Engine, options: ChatOptions) {
  const model = await connectEngine(engine);
  const stream = model.chat(options);
  const events: unknown[] = [];
  for await (const event of stream) events.push(event);
  return { events, message: await stream.message };
}

const chats: Readonly<Record<string, Partial<SteerOptions>>> = {
  auto: {},
  required: { toolChoice: 'required' },
  none: { toolChoice: 'none' },
  'nothing injected': { toolChoice: 'required', injectForcedText: false },
  'a budget of thoughts': { thinkingBudget: 3 },
  'few tokens': { maxTokens: 30 },
  'an answer with a schema': {
    toolChoice: 'none',
    responseFormat: { type: 'json_schema', json_schema: { schema: weather.parameters } },
  },
};

describe.each(formats.map((format, index) => [format, index] as const))('%s', (format, index) => {
  it.each(drawn(Object.keys(chats), 6, index))(
    'the toy, %s: the same events and message as in a chat',
    async (name) => {
      const options = { messages, tools: [weather], maxTokens: 160, ...chats[name] };
      const own = await sampled(await toyEngine(format), options);
      const chat = await chatted(await toyEngine(format), options);
      expect(own.message).toEqual(chat.message);
      expect(withoutCache(own.events)).toEqual(withoutCache(chat.events));
    },
  );
});

/** Whether a prompt was in a cache is told by engines, not by loops. */
function withoutCache(events: readonly unknown[]): unknown {
  return JSON.parse(
    JSON.stringify(events, (key, value: unknown) => (key === 'cachedPromptTokens' ? undefined : value)),
  );
}

it('a value that is checked is taken back, and the tokens say so', async () => {
  const properties = {
    ...weather.parameters.properties,
    city: { type: 'string', not: { const: 'Paris' } },
  } as const;
  const tool = { ...weather, parameters: { ...weather.parameters, properties } };
  const options = { messages, tools: [tool], toolChoice: 'required', maxTokens: 160 } as const;
  const { message } = await sampled(await toyEngine(), options);
  expect(message).toEqual((await chatted(await toyEngine(), options)).message);
  expect(message.tool_calls?.[0]?.function.arguments).toMatch(/"city": "(?!Paris")/);
});

describe('what a loop gets wrong is told', () => {
  const begin = async (format: (typeof formats)[number]) => {
    const engine = await toyEngine(format);
    return { engine, response: await steer(engine, { messages, tools: [weather], toolChoice: 'required' }) };
  };

  it.each(formats)('%s: a token that the mask forbids', async (format) => {
    const { engine, response } = await begin(format);
    const run = async () => {
      while (!response.over) response.accept(await likeliest(engine, response.tokens, () => {}));
    };
    await expect(run()).rejects.toThrow(DecodingError);
  });

  it.each([
    ['free', {}],
    ['with a call that must be', { tools: [weather], toolChoice: 'required' }],
  ] as const)('a prompt that leaves no room in the context, %s', async (_, options) => {
    const { chatTemplate, tokenizer } = await toyEngine();
    const model = (contextSize: number) => ({ model: 'small', chatTemplate, tokenizer, contextSize });
    const whole = await steer(model(4000), { messages, ...options });
    const { length } = whole.tokens;
    await expect(steer(model(length), { messages, ...options })).rejects.toMatchObject({
      code: 'context-overflow',
      needed: length + 1,
      available: length,
    });
    expect((await steer(model(length + 1), { messages, ...options })).over).toBe(false);
  });

  it('a token after the end', async () => {
    const { engine, response } = await begin('json');
    while (!response.over) {
      const { mask }: { mask: Mask | null } = response;
      response.accept(await likeliest(engine, response.tokens, (logits) => maskLogits(logits, mask)));
    }
    expect(() => response.accept(0)).toThrow(/after the end/);
  });

  it('an option that says how to sample, and a model that is none', async () => {
    const engine = await toyEngine();
    const wrong = { messages, temperature: 1 } as SteerOptions;
    await expect(steer(engine, wrong)).rejects.toThrow(UnsupportedOptionError);
    await expect(steer({} as Engine, { messages })).rejects.toThrow(UnsupportedOptionError);
  });
});

describe('the program of the guide', () => {
  const program = pagePrograms().find(({ file }) => file === 'steered.ts')?.source ?? '';

  it.each(drawn(formats, 3))('is right as it stands, in the format %s', async (format) => {
    const contents = program.replace("toyEngine('channels')", `toyEngine('${format}')`);
    expect(contents).toContain(`toyEngine('${format}')`);
    const { outputFiles } = await build({
      stdin: { contents, loader: 'ts', resolveDir: path.join(import.meta.dirname, '../..') },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      target: 'es2023',
      conditions: ['idiolect:source'],
    });
    const [{ text = '' } = {}] = outputFiles;
    // Its own assertion fails, and with it the import.
    await import(`data:text/javascript;base64,${Buffer.from(text).toString('base64')}`);
  });
});
