/** Tokens count to what they turned out to be, also where the parser had to hold them back until it knew. */
import { expect, it, onTestFinished } from 'vitest';
import { openKeyedChat } from '../support/small-chats.ts';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;
const tools = [{ name: 'get_weather', parameters }] as const;
const messages = [{ role: 'user', content: 'How warm is it?' }] as const;

const call = '{"name": "get_weather", "arguments": {"city": "Bern"}}';
const calls = {
  'its template': ['<tool_call>', `\n${call}\n`, '</tool_call>'],
  'a fence': [`\`\`\`json\n${call}\n\`\`\``],
  'bare JSON': [call],
  'bare JSON with its name last': ['{"arguments": {"city": "Bern"}, "name": "get_weather"}'],
};

async function usageOf(pieces: readonly string[]) {
  const model = await openKeyedChat([
    { after: '<|im_start|>user\nHow warm is it?', pieces: [...pieces, '<|im_end|>'] },
  ]);
  onTestFinished(() => model.dispose());
  const chat = model.chat({ messages, tools, toolChoice: 'auto', temperature: 0 });
  return { usage: await chat.usage, message: await chat.message };
}

it.each(Object.entries(calls))('all tokens of a call in %s count as those of a call', async (_, written) => {
  const { usage, message } = await usageOf(written);
  expect(message.tool_calls).toHaveLength(1);
  expect(usage).toMatchObject({ reasoningTokens: 0, textTokens: 0, callTokens: usage.completionTokens });
});

it('text before a call counts as text', async () => {
  const text = ['I ', 'look ', 'it up', '.'];
  const { usage: alone } = await usageOf(text);
  const { usage, message } = await usageOf([...text, ...calls['its template']]);
  expect(message.tool_calls).toHaveLength(1);
  expect(usage.textTokens).toBe(alone.textTokens);
  expect(usage.callTokens).toBe(usage.completionTokens - alone.textTokens);
});

it('what looked like the beginning of a call and was none is text', async () => {
  const { usage, message } = await usageOf(['{"name": ', '"Bern", "warm": true}']);
  expect(message.tool_calls).toBeUndefined();
  expect(usage).toMatchObject({ callTokens: 0, textTokens: usage.completionTokens });
});
