/**
 * The law of servers, with llama.cpp's own `llama-server`: models of random weights, which would break every promise,
 * keep them all. Runs where `IDIOLECT_LLAMA_SERVER` names an executable.
 */
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { tinyModelFile } from '../../examples/support/small-models.ts';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { IdiolectError, ServerError } from '../../src/format/errors.ts';
import type { ResponseMessage, TextDelta } from '../../src/parser/events.ts';
import { connectServer, type ServerChatOptions, type ServerModel } from '../../src/servers/index.ts';
import { llamaTemplate } from '../support/corpora.ts';
import { matrixTemplates } from '../support/mode-matrix.ts';
import { llamaServerFile, type RealServer, startLlamaServer } from '../support/real-llama-server.ts';

const seeds = Number(process.env.SEEDS ?? (process.env.LAWS === 'long' ? 20 : 2));
const messages = [{ role: 'user', content: 'Will it rain?' }] as const;
const weather = {
  type: 'object',
  properties: { city: { type: 'string', maxLength: 8 }, days: { type: 'integer', minimum: 1, maximum: 7 } },
  required: ['days'],
  additionalProperties: false,
} as const;
const time = { type: 'object', properties: {}, additionalProperties: false } as const;
const tools = [
  { type: 'function', function: { name: 'get_weather', description: 'The weather.', parameters: weather } },
  { type: 'function', function: { name: 'get_time', description: 'The time.', parameters: time } },
] as const;
const schema = {
  type: 'object',
  properties: { rain: { enum: ['yes', 'no'] }, chance: { type: 'integer', minimum: 0, maximum: 100 } },
  required: ['rain'],
  additionalProperties: false,
} as const;

const ajv = new Ajv();
const argumentsOf = new Map([
  ['get_weather', ajv.compile(weather)],
  ['get_time', ajv.compile(time)],
]);
const isAnswer = ajv.compile(schema);

const modes = ['auto', 'required', 'schema'] as const;
type Mode = (typeof modes)[number];

/** What came of the chats, over all formats. */
const counted = { chats: 0, calls: 0, answers: 0, cut: 0, refused: 0 };

function requestOf(mode: Mode, seed: number, openers: readonly string[]): ServerChatOptions {
  const drawn = { messages, temperature: 1, seed, thinkingBudget: 6, maxTokens: 160 };
  const responseFormat = { type: 'json_schema', json_schema: { schema } } as const;
  if (mode === 'schema') return { ...drawn, responseFormat };
  if (mode === 'required') return { ...drawn, tools, toolChoice: 'required', parallelToolCalls: false };
  // Of random tokens hardly one is an opener: here it is likelier than all others.
  return { ...drawn, tools, logitBias: openers.map((text) => [text, 12]) };
}

/** What is wrong with a response, by the judgement of Ajv; `null` where nothing is. */
function fault(mode: Mode, { content, tool_calls: calls = [], malformed }: ResponseMessage, cut: boolean) {
  if (malformed !== undefined && !cut) return 'malformed';
  const wrong = calls.find(({ function: called }) => {
    return argumentsOf.get(called.name)?.(JSON.parse(called.arguments)) !== true;
  });
  if (wrong !== undefined) return `a call that its schema forbids: ${JSON.stringify(wrong)}`;
  if (cut) return null;
  if (mode === 'required' && calls.length === 0) return 'no call';
  return mode === 'schema' && !isAnswer(JSON.parse(content ?? '')) ? 'no answer of the schema' : null;
}

/** A chat's fault; `null` where there is none. Errors have to be typed. */
async function judge(model: ServerModel, mode: Mode, options: ServerChatOptions): Promise<string | null> {
  counted.chats += 1;
  try {
    const chat = model.chat(options);
    let cut = false;
    for await (const event of chat) if (event.type === 'finish') cut = event.reason === 'length';
    const message = await chat.message;
    counted.calls += message.tool_calls?.length ?? 0;
    counted[cut ? 'cut' : 'answers'] += 1;
    return fault(mode, message, cut);
  } catch (error) {
    counted.refused += 1;
    return error instanceof IdiolectError && error.code === 'unsupported-option' ? null : String(error);
  }
}

async function modelFile(name: string): Promise<string> {
  const { source } = await llamaTemplate(name);
  const { format } = analyzeTemplate(source);
  const [markers, controls] = [format.preservedTokens, format.stops];
  return tinyModelFile({ vocabulary: 'llama-spm', markers, controls, chatTemplate: source });
}

describe.skipIf(llamaServerFile === undefined).each(matrixTemplates)('llama-server with %s', (name) => {
  let server: RealServer;
  let model: ServerModel;
  let openers: readonly string[];
  beforeAll(async () => {
    server = await startLlamaServer(await modelFile(name), { slots: 4, contextSize: 4096 });
    model = await connectServer({ kind: 'llama-server', url: server.url, requireTools: false });
    const { grammar } = await model.preview({ messages, tools });
    const { preservedTokens } = model.templates.toolUse.format;
    openers = preservedTokens.filter((text) => grammar.triggers.some(({ value }) => value.startsWith(text)));
  });
  afterAll(() => server.kill());

  it.each(modes)('keeps every promise (%s)', async (mode) => {
    const requests = Array.from({ length: seeds }, (_, seed) => requestOf(mode, seed, openers));
    const faults = await Promise.all(requests.map((request) => judge(model, mode, request)));
    expect(faults.filter((each) => each !== null)).toEqual([]);
  });
});

describe.skipIf(llamaServerFile === undefined)('llama-server', () => {
  afterAll(() => {
    console.log(`chats with llama-server: ${JSON.stringify(counted)}`);
  });

  it('tells how likely the tokens of an answer were, of JSON and of free text', async () => {
    const file = await modelFile('Qwen-Qwen3-0.6B');
    const server = await startLlamaServer(file, { slots: 1, contextSize: 4096 });
    try {
      const model = await connectServer({ kind: 'llama-server', url: server.url });
      const drawn = { messages, thinking: false, temperature: 1, maxTokens: 40, logprobs: 3 } as const;
      const responseFormat = { type: 'json_schema', json_schema: { schema } } as const;
      for (const options of [{ ...drawn, responseFormat }, drawn]) {
        const tokens: NonNullable<TextDelta['logprobs']>[number][] = [];
        const chat = model.chat(options);
        for await (const event of chat)
          if (event.type === 'text-delta') tokens.push(...(event.logprobs ?? []));
        const { content } = await chat.message;
        // The last token of a text that was cut may hold half a character.
        const text = Buffer.from(tokens.flatMap(({ bytes }) => bytes)).toString();
        expect(text.trim().startsWith((content ?? '').trim().slice(0, -1))).toBe(true);
        expect(tokens.length).toBeGreaterThan(0);
        for (const { logprob, top } of tokens) {
          expect(logprob).toBeLessThanOrEqual(0);
          expect(top).toHaveLength(3);
          expect(top.map((each) => each.logprob).sort((one, other) => other - one)).toEqual(
            top.map((each) => each.logprob),
          );
        }
      }
    } finally {
      await server.kill();
    }
  });

  it('answers fifty at once, and is killed in the middle of fifty others', async () => {
    const server = await startLlamaServer(await modelFile('Qwen-Qwen3-0.6B'), {
      slots: 4,
      contextSize: 4096,
    });
    try {
      const model = await connectServer({ kind: 'llama-server', url: server.url });
      const fifty = Array.from({ length: 50 }, (_, seed) => {
        const mode = modes[seed % modes.length] ?? 'auto';
        return { mode, options: requestOf(mode, seed, ['<tool_call>']) };
      });
      const faults = await Promise.all(fifty.map(({ mode, options }) => judge(model, mode, options)));
      expect(faults.filter((each) => each !== null)).toEqual([]);
      let begun = 0;
      const ends = fifty.map(async ({ mode, options }) => {
        const chat = model.chat(options);
        let cut = false;
        try {
          for await (const event of chat) {
            if (event.type === 'finish') cut = event.reason === 'length';
            begun += 1;
            if (begun === 40) await server.kill();
          }
          return fault(mode, await chat.message, cut);
        } catch (error) {
          return error;
        }
      });
      const found = await Promise.all(ends);
      const errors = found.filter((each) => each !== null);
      expect(errors.length).toBeGreaterThan(40);
      for (const error of errors) {
        expect(error).toBeInstanceOf(ServerError);
        expect(error).toMatchObject({ transient: true });
      }
    } finally {
      await server.kill();
    }
  });
});
