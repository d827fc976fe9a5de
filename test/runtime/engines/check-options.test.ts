import { describe, expect, test } from 'vitest';
import { UnsupportedOptionError } from '../../../src/errors.ts';
import type { ChatOptions } from '../../../src/runtime/engines/node-llama-cpp/chat.ts';
import { checkChatOptions } from '../../../src/runtime/engines/node-llama-cpp/check-options.ts';

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
