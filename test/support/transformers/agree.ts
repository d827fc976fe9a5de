/** A model of `idiolect/transformers`, next to the same model on the engine in plain JavaScript. */
import { expect } from 'vitest';
import type { ChatOptions, EngineModel } from '../../../src/runtime/engine/index.ts';
import { asked, conversation, modes, tools } from '../chat-modes.ts';

/** What came of a chat. What was cached depends on the chats before, and is left out. */
export async function outcome(model: EngineModel, options: ChatOptions): Promise<unknown> {
  const stream = model.chat(options);
  const events: unknown[] = [];
  for await (const event of stream) events.push(event);
  const all = { events, message: await stream.message, usage: await stream.usage };
  return JSON.parse(JSON.stringify(all, (name, value) => (name === 'cachedTokens' ? undefined : value)));
}

/** A request in each mode, with another question each time, and one in the middle of a conversation. */
export const requests: readonly (readonly [string, ChatOptions])[] = [
  ...Object.entries(modes).map(([name, options], index): readonly [string, ChatOptions] => {
    const content = asked[index % asked.length] ?? '';
    return [name, { messages: [{ role: 'user', content }], tools, maxTokens: 200, ...options }];
  }),
  ['a conversation', { messages: conversation, tools, maxTokens: 100 }],
];

/** Both give the same events, message and usage. */
export async function expectSame(one: EngineModel, other: EngineModel, options: ChatOptions): Promise<void> {
  expect(await outcome(one, options)).toEqual(await outcome(other, options));
}
