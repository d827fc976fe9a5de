import { describe, expect, test } from 'vitest';
import { UnsupportedOptionError } from '../../../src/errors.ts';
import type { ChatOptions } from '../../../src/runtime/engines/node-llama-cpp/chat.ts';
import {
  checkChatOptions,
  checkLoadOptions,
  checkRunOptions,
} from '../../../src/runtime/engines/node-llama-cpp/check-options.ts';
import { loadModel, runTools } from '../../../src/runtime/engines/node-llama-cpp/index.ts';

const messages = [{ role: 'user', content: 'Hello' }] as const;

describe('options of a chat', () => {
  test.each([
    { maxTokens: Number.NaN },
    { maxTokens: -1 },
    { maxTokens: 1.5 },
    { thinkingBudget: -1 },
    { temperature: -1 },
    { temperature: Number.POSITIVE_INFINITY },
    { topP: 9 },
    { minP: '0.1' },
    { seed: -1.5 },
    { stop: [''] },
    { stop: 'END' },
    { messages: 'Hello' },
  ])('%j is refused', (wrong) => {
    const options = { messages, ...wrong } as unknown as ChatOptions;
    expect(() => checkChatOptions(options)).toThrow(UnsupportedOptionError);
    expect(() => checkChatOptions(options)).toThrow(new RegExp(`^${Object.keys(wrong)[0]}: `));
  });

  test('the usual ones pass', () => {
    const options = {
      maxTokens: 1,
      thinkingBudget: 0,
      temperature: 0.7,
      topK: 40,
      topP: 1,
      minP: 0,
      seed: 3,
    };
    expect(() => checkChatOptions({ messages, ...options, stop: ['END'] })).not.toThrow();
    expect(() => checkChatOptions({ messages, maxTokens: Number.POSITIVE_INFINITY })).not.toThrow();
  });
});

describe('steps of a run', () => {
  test.each([0, -1, 1.5, Number.NaN])('%j are refused', async (maxSteps) => {
    const chat = () => {
      throw new TypeError('nothing is to be asked of the model');
    };
    const run = runTools({ chat }, { messages, tools: [], maxSteps });
    await expect(run.messages).rejects.toBeInstanceOf(UnsupportedOptionError);
  });

  test('the usual ones pass', () => {
    expect(() => checkRunOptions({ messages, tools: [], maxSteps: 1 })).not.toThrow();
    expect(() => checkRunOptions({ messages, tools: [], maxSteps: Number.POSITIVE_INFINITY })).not.toThrow();
  });
});

describe('options of a model', () => {
  test.each([
    { contextSize: 0 },
    { contextSize: -5 },
    { contextSize: Number.NaN },
    { contextSize: Number.POSITIVE_INFINITY },
    { sequences: 0 },
    { sequences: 1.5 },
    { threads: -1 },
  ])('%j is refused before the file is looked at', async (wrong) => {
    const refused = loadModel('no such file', wrong);
    await expect(refused).rejects.toBeInstanceOf(UnsupportedOptionError);
    await expect(refused).rejects.toThrow(new RegExp(`^${Object.keys(wrong)[0]}: `));
  });

  test('the usual ones pass', () => {
    expect(() => checkLoadOptions({})).not.toThrow();
    expect(() => checkLoadOptions({ contextSize: 4096, sequences: 4, threads: 0 })).not.toThrow();
  });
});
