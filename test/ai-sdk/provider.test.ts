/** The provider under the real SDK, of both generations, over ten notations. */
import type { LanguageModelV3, LanguageModelV3StreamPart } from '@ai-sdk/provider';
import * as sdk7 from 'ai';
import * as sdk6 from 'ai-v6';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type IdiolectModel, idiolect } from '../../src/ai-sdk/index.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage } from '../../src/format/messages.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { orderBreaches } from './part-grammar.ts';
import { type Turn, writtenModel, writtenText } from './written-model.ts';

const notations = [
  'qwen-qwen3-0.6b',
  'qwen3-coder',
  'glm-4.6',
  'openai-gpt-oss-120b',
  'kimi-k2-instruct',
  'deepseek-ai-deepseek-v3.1',
  'google-gemma-4-31b-it',
  'mistral-small-3.2-24b-instruct-2506',
  'meta-llama-llama-3.1-8b-instruct',
  'lfm2.5-8b-a1b',
];
const formats = generatedFormats().filter(({ name }) => notations.includes(name));

const weather = { description: 'The weather in a city.', inputSchema: z.strictObject({ city: z.string() }) };
const execute = async ({ city }: { city: string }) => ({ city, degrees: 21 });

function call(city: string, id: string): NonNullable<AssistantMessage['tool_calls']>[number] {
  return { id, type: 'function', function: { name: 'get_weather', arguments: JSON.stringify({ city }) } };
}
const answer: Turn = { role: 'assistant', content: 'It is 21 degrees in Bern.' };
const oneCall: Turn = { role: 'assistant', content: null, tool_calls: [call('Bern', 'abcdefghi')] };

const anyFormat = z.custom<ChatFormat>((format) => format !== undefined).parse(formats[0]?.format);

it('the suite of formats has ten notations to try', () => expect(formats).toHaveLength(notations.length));

/** The parts of every response, as they come. */
function watched(model: LanguageModelV3): {
  readonly model: LanguageModelV3;
  readonly breaches: () => string[];
} {
  const streams: LanguageModelV3StreamPart[][] = [];
  const doStream: LanguageModelV3['doStream'] = async (options) => {
    const { stream, ...rest } = await model.doStream(options);
    const parts: LanguageModelV3StreamPart[] = [];
    streams.push(parts);
    const tap = new TransformStream<LanguageModelV3StreamPart, LanguageModelV3StreamPart>({
      transform(part, controller) {
        parts.push(part);
        controller.enqueue(part);
      },
    });
    return { ...rest, stream: stream.pipeThrough(tap) };
  };
  return { model: { ...model, doStream }, breaches: () => streams.flatMap(orderBreaches) };
}

function thoughtful(format: ChatFormat): boolean {
  return format.reasoning !== null && format.reasoning.start !== '';
}

// The two generations have the same functions with other types; what is called here has the same shape in both.
const sdks = [
  { version: 'ai 7', sdk: sdk7 },
  { version: 'ai 6', sdk: sdk6 as unknown as typeof sdk7 },
];

it.each([
  ['the name of a model', 'model.gguf'],
  ['a model that is still being loaded', Promise.resolve({})],
  ['nothing', null],
])('%s is no model', (_, given) => {
  const model = given as unknown as IdiolectModel;
  expect(() => idiolect(model)).toThrow(/^model must be what loadModel\(\) or connectServer\(\) resolves to/);
});

describe.each(sdks)('$version', ({ sdk }) => {
  const tools = { get_weather: sdk.tool({ ...weather, execute }) };

  describe.each(formats)('$name', ({ format }) => {
    it('generateText: a text', async () => {
      const model = writtenModel(format, [answer]);
      const result = await sdk.generateText({ model: idiolect(model), prompt: 'How warm is it in Bern?' });
      expect(result.text).toBe(answer.content);
      expect(result.finishReason).toBe('stop');
      expect(model.asked[0]?.messages).toEqual([{ role: 'user', content: 'How warm is it in Bern?' }]);
    });

    it('streamText: text and thoughts', async () => {
      const reasoning = thoughtful(format) ? 'They ask for the weather.' : '';
      const said: Turn = reasoning === '' ? answer : { ...answer, reasoning_content: reasoning };
      const { model, breaches } = watched(idiolect(writtenModel(format, [said])));
      const result = sdk.streamText({ model, prompt: 'How warm is it in Bern?' });
      let text = '';
      for await (const delta of result.textStream) text += delta;
      expect(text).toBe(answer.content);
      expect((await result.reasoningText) ?? '').toBe(reasoning);
      expect(breaches()).toEqual([]);
    });

    it('generateText: a call, its result, an answer', async () => {
      const model = writtenModel(format, [oneCall, answer]);
      const { text, steps } = await sdk.generateText({
        model: idiolect(model),
        prompt: 'How warm is it in Bern?',
        tools,
        stopWhen: sdk.stepCountIs(3),
      });
      expect(text).toBe(answer.content);
      expect(steps).toHaveLength(2);
      expect(steps[0]?.toolCalls).toMatchObject([{ toolName: 'get_weather', input: { city: 'Bern' } }]);
      const told = model.asked[1]?.messages ?? [];
      const id = steps[0]?.toolCalls[0]?.toolCallId;
      expect(told.slice(1)).toEqual([
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id, type: 'function', function: { name: 'get_weather', arguments: '{"city":"Bern"}' } },
          ],
        },
        { role: 'tool', tool_call_id: id, name: 'get_weather', content: '{"city":"Bern","degrees":21}' },
      ]);
    });

    it('streamText: a loop whose tool input streams', async () => {
      const { model, breaches } = watched(idiolect(writtenModel(format, [oneCall, answer])));
      const result = sdk.streamText({ model, prompt: 'Bern?', tools, stopWhen: sdk.stepCountIs(3) });
      let input = '';
      for await (const part of result.fullStream) if (part.type === 'tool-input-delta') input += part.delta;
      expect(JSON.parse(input)).toEqual({ city: 'Bern' });
      expect(await result.text).toBe(answer.content);
      expect(breaches()).toEqual([]);
    });

    it('two calls in one response', async () => {
      if (format.calls?.parallel !== true) return;
      const both: Turn = {
        role: 'assistant',
        content: null,
        tool_calls: [call('Bern', 'abcdefghi'), call('Oslo', 'abcdefghj')],
      };
      const result = await sdk.generateText({
        model: idiolect(writtenModel(format, [both])),
        prompt: '?',
        tools,
      });
      expect(result.toolResults.map(({ output }) => output)).toEqual([
        { city: 'Bern', degrees: 21 },
        { city: 'Oslo', degrees: 21 },
      ]);
    });

    it('a call that a limit cut ends with length', async () => {
      const cut: Turn = { ...oneCall, cut: writtenText(format, oneCall).indexOf('Bern') + 2 };
      const { model, breaches } = watched(idiolect(writtenModel(format, [cut])));
      const result = sdk.streamText({ model, prompt: 'Bern?', tools });
      const errors: unknown[] = [];
      for await (const part of result.fullStream) if (part.type === 'error') errors.push(part.error);
      expect(errors).toEqual([]);
      expect(await result.finishReason).toBe('length');
      expect(breaches()).toEqual([]);
    });

    it('an aborted stream ends as aborted', async () => {
      const long: Turn = { role: 'assistant', content: 'word '.repeat(500) };
      const controller = new AbortController();
      const result = sdk.streamText({
        model: idiolect(writtenModel(format, [long])),
        prompt: 'Talk.',
        abortSignal: controller.signal,
      });
      const types: string[] = [];
      for await (const part of result.fullStream) {
        types.push(part.type);
        if (part.type === 'text-delta') controller.abort();
      }
      expect(types.at(-1)).toBe('abort');
      expect(types).not.toContain('error');
    });
  });

  it.each([
    ['required', 'required' as const, 'required'],
    ['none', 'none' as const, 'none'],
    [
      'a tool by name',
      { type: 'tool' as const, toolName: 'get_weather' as const },
      { type: 'function', function: { name: 'get_weather' } },
    ],
  ])('toolChoice: %s is asked of the model', async (_, toolChoice, expected) => {
    const model = writtenModel(anyFormat, [expected === 'none' ? answer : oneCall]);
    await sdk.generateText({ model: idiolect(model), prompt: 'Bern?', tools, toolChoice });
    expect(model.asked[0]?.toolChoice).toEqual(expected);
    expect(model.asked[0]?.tools).toMatchObject([{ function: { name: 'get_weather' } }]);
  });

  it('Output.object: the schema is enforced and told', async () => {
    const json: Turn = { role: 'assistant', content: '{"degrees":21}' };
    const model = writtenModel(anyFormat, [json]);
    const { output } = await sdk.generateText({
      model: idiolect(model),
      prompt: 'Bern?',
      output: sdk.Output.object({ schema: z.strictObject({ degrees: z.int() }) }),
    });
    expect(output).toEqual({ degrees: 21 });
    const [asked] = model.asked;
    expect(asked?.responseFormat).toMatchObject({
      type: 'json_schema',
      json_schema: { schema: { properties: { degrees: { type: 'integer' } } } },
    });
    expect(asked?.messages[0]?.role).toBe('system');
    expect(asked?.messages[0]?.content).toContain('"degrees"');
  });

  it.each([
    [
      'array',
      '{"elements":["a","b"]}',
      (kit: typeof sdk7) => kit.Output.array({ element: z.string() }),
      ['a', 'b'],
    ],
    [
      'choice',
      '{"result":"sun"}',
      (kit: typeof sdk7) => kit.Output.choice({ options: ['sun', 'rain'] }),
      'sun',
    ],
  ])('Output.%s gives what the model wrote', async (_, content, output, expected) => {
    const model = writtenModel(anyFormat, [{ role: 'assistant', content }]);
    const result = await sdk.generateText({
      model: idiolect(model),
      prompt: '?',
      output: output(sdk) as never,
    });
    expect(result.output).toEqual(expected);
  });

  it('middleware wraps it like any other model', async () => {
    const seen: string[] = [];
    const model = sdk.wrapLanguageModel({
      model: idiolect(writtenModel(anyFormat, [answer])),
      middleware: {
        wrapGenerate: async ({ doGenerate }: { doGenerate: () => PromiseLike<unknown> }) => {
          seen.push('generate');
          return doGenerate();
        },
      } as never,
    });
    const { text } = await sdk.generateText({ model, prompt: '?' });
    expect(text).toBe(answer.content);
    expect(seen).toEqual(['generate']);
  });

  it.each([
    [2 ** 60, 1],
    [2 ** 53 - 1, 0],
  ])('warns of arguments that the SDK has changed: %d', async (id, warned) => {
    const input = { list: [{ id }] };
    const { warnings } = await sdk.generateText({
      model: idiolect(writtenModel(anyFormat, [answer])),
      messages: [
        { role: 'user', content: 'Find it.' },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'find', input }] },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'a',
              toolName: 'find',
              output: { type: 'text', value: 'found' },
            },
          ],
        },
      ],
    });
    expect(warnings).toHaveLength(warned);
  });

  it('warns of what does not apply, and passes on what only chats know', async () => {
    const model = writtenModel(anyFormat, [answer]);
    const image = {
      type: 'file' as const,
      data: new Uint8Array(2_000),
      mediaType: 'image/png',
      filename: 'a.png',
    };
    const { warnings } = await sdk.generateText({
      model: idiolect(model),
      messages: [{ role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] }],
      presencePenalty: 0.5,
      temperature: 0.3,
      providerOptions: { idiolect: { thinkingBudget: 10 } },
    });
    expect(warnings).toEqual([
      expect.objectContaining({ type: 'unsupported', feature: 'a file of type image/png' }),
    ]);
    expect(model.asked[0]).toMatchObject({
      temperature: 0.3,
      presencePenalty: 0.5,
      thinkingBudget: 10,
      messages: [{ role: 'user', content: 'What is this?\n[file a.png, image/png, 2 kB]' }],
    });
  });
});

describe('ai 7', () => {
  it.each([
    ['none', { thinking: false }],
    ['medium', { thinking: true, templateVariables: { reasoning_effort: 'medium' } }],
    ['provider-default', {}],
  ] as const)('reasoning: %s is asked of the model', async (reasoning, expected) => {
    const model = writtenModel(anyFormat, [answer]);
    await sdk7.generateText({ model: idiolect(model), prompt: '?', reasoning });
    expect(model.asked[0]).toMatchObject(expected);
  });
});
