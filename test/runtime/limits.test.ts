/** Limits of a response: tokens of thoughts, and tokens at all, injected ones included. */
import { LlamaContextSequence } from 'node-llama-cpp';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { ResponseEvent } from '../../src/parser/events.ts';
import type { ChatOptions, EngineModel } from '../../src/runtime/engine/index.ts';
import { openMatrixModel } from '../support/mode-matrix.ts';
import { openLlamaTiny, openScriptedChat } from '../support/small-chats.ts';

const messages = [{ role: 'user', content: 'Hello' }] as const;
const tools = [{ name: 'xlongername' }] as const;
const required = { messages, tools, toolChoice: 'required', thinking: false } as const;

let model: EngineModel;
beforeAll(async () => {
  model = await openLlamaTiny();
});
afterAll(() => model.dispose());
afterEach(() => {
  vi.restoreAllMocks();
});

async function read(from: EngineModel, options: ChatOptions): Promise<readonly ResponseEvent[]> {
  const events: ResponseEvent[] = [];
  for await (const event of from.chat(options)) events.push(event);
  return events;
}

/** Pieces of thoughts that the response wrote; what the prompt wrote of them lies before it. */
function thoughts(events: readonly ResponseEvent[]): number {
  return events.filter(({ type, end }) => type === 'reasoning-delta' && end > 0).length;
}

describe('a thinking budget', () => {
  const request = { messages, tools, toolChoice: 'required', temperature: 1, seed: 4 } as const;

  it.each([0, 1, 2, 5, 10])('of %i tokens allows so many, and the call follows', async (thinkingBudget) => {
    const options = { ...request, thinkingBudget, parallelToolCalls: false, maxTokens: 200 };
    const events = await read(model, options);
    // The model with random weights never closes its thoughts; each of these tokens is a delta.
    expect(thoughts(events)).toBe(thinkingBudget);
    expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'tool-calls' });
  });

  it.each([0, 1, 3])('of %i tokens closes free thoughts, too', async (thinkingBudget) => {
    const free = { messages, maxTokens: 40, thinkingBudget };
    const pieces = ['<think>', '\none two three four five six seven eight', '</think>', 'Hi', '<|im_end|>'];
    const scripted = await openScriptedChat([{ request: free, pieces }]);
    const events = await read(scripted, free);
    await scripted.dispose();
    expect(thoughts(events)).toBe(thinkingBudget);
    expect(events.some(({ type }) => type === 'text-delta')).toBe(true);
  });
});

describe('a call after thoughts that were closed for the model', () => {
  it.each([0, 1, 3])(
    'is enforced where it may come or not: a budget of %i tokens',
    async (thinkingBudget) => {
      const strict = { type: 'object', properties: { word: { enum: ['one'] } }, required: ['word'] } as const;
      const offered = [{ name: 'look_up', inputSchema: { ...strict, additionalProperties: false } }] as const;
      const free = { messages, tools: offered, maxTokens: 120, thinkingBudget };
      const call = ['<tool_call>', '\n{"name": "look_up", "arguments": {"word": "other', '</tool_call>'];
      for (const words of ['', 'Let me see. ']) {
        const pieces = ['<think>', '\none two three four five six seven eight', '</think>', words, ...call];
        const scripted = await openScriptedChat([{ request: free, pieces }]);
        const events = await read(scripted, free);
        await scripted.dispose();
        expect(thoughts(events)).toBe(thinkingBudget);
        const [made] = events.filter(({ type }) => type === 'tool-call');
        expect(made).toMatchObject({ toolName: 'look_up', arguments: { word: 'one' } });
      }
    },
  );
});

describe('a thinking budget of 0', () => {
  it.each(['Apriel-1.6-15b-Thinker-fixed', 'deepseek-ai-DeepSeek-R1-Distill-Llama-8B'])(
    'allows no token where the prompt has opened the thoughts: %s',
    async (name) => {
      const { chat, dispose } = await openMatrixModel(name);
      const request = { messages, thinking: true, thinkingBudget: 0, temperature: 1, seed: 3 } as const;
      expect(thoughts(await read(chat, { ...request, thinkingBudget: 2, maxTokens: 20 }))).toBe(2);
      expect(thoughts(await read(chat, { ...request, maxTokens: 20 }))).toBe(0);
      const calling = { ...request, tools, toolChoice: 'required', parallelToolCalls: false } as const;
      const events = await read(chat, { ...calling, maxTokens: 200 });
      expect(thoughts(events)).toBe(0);
      expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'tool-calls' });
      await dispose();
    },
  );
});

describe('a thinking budget within a character', () => {
  it.each([1, 2, 3, 4, 5, 6])('of %i bytes closes after it', async (thinkingBudget) => {
    // This vocabulary writes the owl as four tokens of a byte each.
    const free = { messages, maxTokens: 40, thinkingBudget };
    const pieces = ['<think>', `\n${'🦉'.repeat(6)}`, '</think>', 'Hi', '<|im_end|>'];
    const scripted = await openScriptedChat([{ request: free, pieces }]);
    const { reasoning_content } = await scripted.chat(free).message;
    await scripted.dispose();
    expect(reasoning_content).toMatch(/^🦉+$/u);
    expect([...(reasoning_content ?? '')]).toHaveLength(Math.ceil(thinkingBudget / 4));
  });
});

describe('the most tokens', () => {
  it.each([true, false])(
    'bound what is written, injected or not (injecting: %s)',
    async (injectForcedText) => {
      const options = { ...required, injectForcedText, parallelToolCalls: false };
      const whole = textOf(await read(model, options));
      let longest = 0;
      for (const maxTokens of [0, 1, 2, 3, 5, 8, 13, 14, 15, 16, 21, 34, 70]) {
        const evaluate = vi.spyOn(LlamaContextSequence.prototype, 'evaluateWithMetadata');
        const events = await read(model, { ...options, maxTokens });
        vi.restoreAllMocks();
        const length = textOf(events);
        // No token of this vocabulary that can stand here is longer than this.
        expect(length).toBeLessThanOrEqual(maxTokens * 11);
        expect(length).toBeGreaterThanOrEqual(longest);
        longest = length;
        const last = events.at(-1);
        expect(last).toMatchObject({ reason: length < whole ? 'length' : 'tool-calls' });
        if (maxTokens === 0) expect(evaluate).not.toHaveBeenCalled();
      }
      expect(longest).toBe(whole);
    },
  );
});

describe('a response that is cut within a character', () => {
  const free = { messages } as const;
  const pieces = ['🦉🦉', '<|im_end|>'];

  it('ends in front of it', async () => {
    const scripted = await openScriptedChat([{ request: free, pieces }]);
    // This vocabulary writes the owl as four tokens of a byte each; the model begins with a space.
    for (const maxTokens of [1, 2, 3, 4, 5, 6, 7]) {
      const events = await read(scripted, { ...free, maxTokens });
      const told = events.flatMap((event) => (event.type === 'text-delta' ? [event.delta] : [])).join('');
      expect(told.trim()).toBe('🦉'.repeat(Math.floor((maxTokens - spaces(told)) / 4)));
      expect(events.at(-1)).toMatchObject({ type: 'finish', reason: 'length' });
    }
    await scripted.dispose();
  });

  it('also where it is left', async () => {
    const scripted = await openScriptedChat([{ request: free, pieces }]);
    const stream = scripted.chat(free);
    for await (const event of stream) if (event.type === 'text-delta' && event.delta.includes('🦉')) break;
    expect((await stream.message).content?.trim()).toBe('🦉');
    await scripted.dispose();
  });
});

function spaces(text: string): number {
  return text.length - text.trimStart().length;
}

/** How long the text of a response is. */
function textOf(events: readonly ResponseEvent[]): number {
  return events.at(-1)?.end ?? 0;
}
