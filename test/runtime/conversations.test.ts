/** Conversations: continued messages, kept prefixes, several at once, cancelled ones, very many. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { LlamaContextSequence } from 'node-llama-cpp';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { demoTools } from '../../examples/support/demo-tools.ts';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import type { Message } from '../../src/format/messages.ts';
import type { ChatOptions, EngineModel } from '../../src/runtime/engine/index.ts';
import { openLlamaTiny, openScriptedChat, openTiny } from '../support/small-chats.ts';

const messages: readonly Message[] = [{ role: 'user', content: 'How warm is it in Bern?' }];

describe('a final message that is continued', () => {
  const request = {
    messages: [...messages, { role: 'assistant', content: 'It is' }],
    continueFinalMessage: true,
  } as const;

  it('goes on where it ended, and comes back whole', async () => {
    const model = await openScriptedChat([{ request, pieces: [' warm.', '<|im_end|>'] }]);
    const { prompt } = model.preview(request);
    const message = await model.chat(request).message;
    await model.dispose();
    expect(prompt.endsWith('It is')).toBe(true);
    expect(message.content).toBe('It is warm.');
  });

  it('may hold a stop, which counts only in what is written', async () => {
    const stopped = { ...request, stop: ['is'] };
    const model = await openScriptedChat([
      { request: stopped, pieces: [' warm. This is all.', '<|im_end|>'] },
    ]);
    const { content } = await model.chat(stopped).message;
    await model.dispose();
    expect(content).toBe('It is warm. Th');
  });

  it('has to begin the JSON that is asked for', async () => {
    const model = await openTiny();
    const begun = (content: string) => ({
      messages: [...messages, { role: 'assistant', content } as const],
      continueFinalMessage: true,
      responseFormat: { type: 'json_schema', json_schema: { schema: { enum: [{ warm: true }] } } } as const,
      maxTokens: 64,
    });
    for (const other of ['It is', '```json\n', '{"cold": '])
      await expect(model.chat(begun(other)).message).rejects.toMatchObject({
        option: 'continueFinalMessage',
      });
    for (const own of ['', '{"wa', '{"warm": tru'])
      expect(await model.chat(begun(own)).object).toEqual({ warm: true });
    await model.dispose();
  });

  it('has to be the last one of the assistant', async () => {
    const model = await openTiny();
    const refused = model.chat({ messages, continueFinalMessage: true }).message;
    await expect(refused).rejects.toBeInstanceOf(UnsupportedOptionError);
    await model.dispose();
  });
});

describe('on a model with random weights', () => {
  let model: EngineModel;
  beforeAll(async () => {
    // The sequences of its context count what they evaluate.
    model = await openLlamaTiny({ sequences: 3 });
  });
  afterAll(() => model.dispose());
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const required: ChatOptions = {
    messages,
    tools: demoTools,
    toolChoice: 'required',
    temperature: 1,
    maxTokens: 400,
    thinkingBudget: 8,
    parallelToolCalls: false,
  };

  it('only what is new of a conversation is evaluated, though another one came between', async () => {
    const evaluated = countEvaluated();
    const story = (topic: string): readonly Message[] => [
      { role: 'user', content: `Tell me about ${topic}. ${'And then? '.repeat(60)}` },
    ];
    const talk = async (history: readonly Message[]): Promise<number> => {
      const before = evaluated();
      await model.chat({ messages: history, maxTokens: 4, thinking: false }).message;
      return evaluated() - before;
    };
    const first = await talk(story('cheese'));
    await talk(story('watches'));
    const more: readonly Message[] = [
      ...story('cheese'),
      { role: 'assistant', content: 'Holes.' },
      { role: 'user', content: 'Why?' },
    ];
    expect(first).toBeGreaterThan(150);
    expect(await talk(more)).toBeLessThan(60);
  });

  it('calls have ids of their own, also where the beginning of the conversation was left out', async () => {
    const called = { name: 'get_weather', arguments: '{"city": "Bern", "unit": "celsius"}' };
    for (const ids of [['call00002'], ['call00003', 'call00002'], ['call00001', 'call00004'], ['mine']]) {
      const history: readonly Message[] = [
        ...messages,
        {
          role: 'assistant',
          content: null,
          tool_calls: ids.map((id) => ({ id, type: 'function', function: called })),
        },
        ...ids.map((id): Message => ({ role: 'tool', tool_call_id: id, content: 'warm' })),
      ];
      const calls = await model.chat({ ...required, messages: history, seed: 1 }).calls;
      expect(calls).toHaveLength(1);
      for (const { id } of calls) {
        expect(id).toMatch(/^[a-z0-9]{9}$/);
        expect(ids).not.toContain(id);
      }
    }
  });

  it('chats at the same time get what they would get alone, each with a grammar of its own', async () => {
    const requests = demoTools.map(
      (tool, index): ChatOptions => ({ ...required, tools: [tool], seed: index + 1 }),
    );
    const alone = [];
    for (const request of requests) alone.push(await model.chat(request).message);
    const together = await Promise.all(requests.map((request) => model.chat(request).message));
    expect(together).toEqual(alone);
    const names = together.map(({ tool_calls }) => tool_calls?.[0]?.function.name);
    expect(names).toEqual(demoTools.map((tool) => tool.function.name));
  });

  it('a chat can be cancelled at any moment, and all sequences go on', async () => {
    const request = { ...required, seed: 11 };
    const whole = await model.chat(request).message;
    const cancelAfter = async (milliseconds: number): Promise<'cancelled' | 'done'> => {
      const controller = new AbortController();
      const stream = model.chat({ ...request, signal: controller.signal });
      setTimeout(() => controller.abort(new Error('cancelled')), milliseconds);
      return stream.message.then(
        () => 'done',
        (error: Error) => error.message as 'cancelled',
      );
    };
    const moments = Array.from({ length: 20 }, (_, index) => index);
    // More at a time than there are sequences: some are cancelled while they wait for one.
    const ends = await Promise.all(moments.map(cancelAfter));
    expect(new Set(ends)).toContain('cancelled');
    for (const end of ends) expect(['cancelled', 'done']).toContain(end);
    const again = await Promise.all([1, 2, 3].map(() => model.chat(request).message));
    expect(again).toEqual([whole, whole, whole]);
  });

  const calls = process.env.LAWS === 'long' ? 10_000 : 200;

  it(`memory does not grow over ${calls} calls`, { timeout: 3_600_000 }, async () => {
    const flag = {
      type: 'function',
      function: {
        name: 'switch_light',
        parameters: {
          type: 'object',
          properties: { on: { type: 'boolean' } },
          required: ['on'],
          additionalProperties: false,
        },
      },
    } as const;
    const request = { ...required, tools: [flag], toolChoice: 'required', thinking: false } as const;
    const callMany = async (count: number): Promise<void> => {
      for (let seed = 1; seed <= count; seed++) {
        const [call] = await model.chat({ ...request, seed }).calls;
        expect(call?.name).toBe('switch_light');
      }
    };
    await callMany(calls / 4);
    const before = usedMemory();
    await callMany(calls);
    const growth = usedMemory() - before;
    // A grammar state that is kept costs more than 1 kB a call.
    expect(growth / calls).toBeLessThan(process.env.LAWS === 'long' ? 256 : 4096);
  });
});

/** Counts tokens that sequences are made to evaluate. */
function countEvaluated(): () => number {
  let count = 0;
  const { evaluateWithMetadata, evaluateWithoutGeneratingNewTokens: prefill } =
    LlamaContextSequence.prototype;
  vi.spyOn(LlamaContextSequence.prototype, 'evaluateWithMetadata').mockImplementation(function (
    this: LlamaContextSequence,
    tokens,
    metadata,
    options,
  ) {
    count += tokens.length;
    return evaluateWithMetadata.call(this, tokens, metadata, options);
  });
  vi.spyOn(LlamaContextSequence.prototype, 'evaluateWithoutGeneratingNewTokens').mockImplementation(function (
    this: LlamaContextSequence,
    tokens,
    options,
  ) {
    count += tokens.length;
    return prefill.call(this, tokens, options);
  });
  return () => count;
}

/** Bytes on the heap that are in use, garbage collected first. */
function usedMemory(): number {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
