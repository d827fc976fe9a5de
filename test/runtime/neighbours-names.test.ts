/** Names that the AI SDK has, and responses of web frameworks. */
import { hasToolCall, stepCountIs } from 'ai';
import { describe, expect, it } from 'vitest';
import type { ChatOptions } from '../../src/runtime/chat/chat-options.ts';
import { openRepeatedAnswer, openScriptedChat, openTiny } from '../support/small-chats.ts';

const messages = [{ role: 'user', content: 'Hello' }] as const;

describe('an option that the AI SDK calls otherwise', () => {
  it('is the same', async () => {
    const model = await openTiny();
    const { completionTokens } = await model.chat({ messages, maxOutputTokens: 3 }).usage;
    expect(completionTokens).toBe(3);
    await model.dispose();
  });

  it('ends a response', async () => {
    const model = await openScriptedChat([
      { request: { messages }, pieces: ['one two three', '<|im_end|>'] },
    ]);
    expect((await model.chat({ messages, stopSequences: [' two'] }).message).content).toBe('one');
    const abortSignal = AbortSignal.abort(new Error('enough'));
    await expect(model.chat({ messages, abortSignal }).message).rejects.toThrow('enough');
    await model.dispose();
  });

  it.each([
    ['maxOutputTokens', { maxTokens: 3, maxOutputTokens: 3 }],
    ['stopSequences', { stop: ['a'], stopSequences: ['a'] }],
    ['abortSignal', { signal: AbortSignal.timeout(1000), abortSignal: AbortSignal.timeout(1000) }],
  ])('is refused twice: %s', async (name, options) => {
    const model = await openTiny();
    await expect(model.chat({ messages, ...options }).message).rejects.toThrow(
      new RegExp(`${name}: is \\w+ by another name`),
    );
    await model.dispose();
  });
});

it('an option may be undefined, and is then as if it were absent', async () => {
  const model = await openTiny();
  const absent: ChatOptions = { messages, maxTokens: 4, seed: 1 };
  const given: ChatOptions = {
    ...absent,
    temperature: undefined,
    topK: undefined,
    tools: undefined,
    stop: undefined,
  };
  const [first, second] = [await model.chat(absent).message, await model.chat(given).message];
  expect(second).toEqual(first);
  await model.dispose();
});

const call = ['<tool_call>', '\n{"name": "next", "arguments": {"at": 1}}\n', '</tool_call>', '<|im_end|>'];
const tools = [
  {
    name: 'next',
    parameters: { type: 'object', properties: { at: { type: 'integer' } }, additionalProperties: false },
    execute: () => Math.random(),
  },
] as const;

describe('stopWhen', () => {
  it.each([
    [stepCountIs(3), 3],
    [hasToolCall('next'), 1],
    [[hasToolCall('other'), stepCountIs(10)], 10],
    [async ({ steps }: { readonly steps: readonly unknown[] }) => steps.length === 2, 2],
  ])('%s ends after %i responses', async (stopWhen, steps) => {
    const model = await openRepeatedAnswer(call);
    const events = [];
    for await (const event of model.runTools({ messages, tools, stopWhen, maxRepeats: 50 }))
      events.push(event);
    expect(events.at(-1)).toMatchObject({ type: 'run-finish', steps, reason: 'stop-when' });
    await model.dispose();
  });
});

describe('toResponse', () => {
  it('has every event, and its end', async () => {
    const model = await openTiny();
    const events = [];
    for await (const event of model.chat({ messages, maxTokens: 5 }))
      if (event.type !== 'finish') events.push(event);
    const response = model.chat({ messages, maxTokens: 5 }).toResponse({ status: 201, headers: { a: 'b' } });
    expect([response.status, response.headers.get('a')]).toEqual([201, 'b']);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const frames = (await response.text()).split('\n\n').filter((text) => text !== '');
    expect(frames.pop()).toBe('data: [DONE]');
    expect(frames.pop()).toContain('"type":"finish"');
    expect(frames.map((text) => JSON.parse(text.replace(/^data: /, '')))).toEqual(
      JSON.parse(JSON.stringify(events)),
    );
    await model.dispose();
  });

  it('tells of an error of ours, in its last event', async () => {
    const model = await openTiny();
    const text = await model.chat({ messages, maxTokens: -1 }).toResponse().text();
    expect(text).toMatch(/^event: error\ndata: \{"type":"error","error":\{"code":"unsupported-option"/);
    expect(text).not.toContain('[DONE]');
    await model.dispose();
  });

  it('of a tool run has its end', async () => {
    const model = await openScriptedChat([{ request: { messages }, pieces: ['Hi', '<|im_end|>'] }]);
    const text = await model.runTools({ messages, tools }).toResponse().text();
    expect(text).toContain('"type":"run-finish"');
    await model.dispose();
  });
});

it('a cancelled toReadableStream ends the response', async () => {
  const model = await openTiny();
  const chat = model.chat({ messages });
  const reader = chat.toReadableStream().getReader();
  expect((await reader.read()).done).toBe(false);
  await reader.cancel();
  expect((await chat.usage).completionTokens).toBeLessThan(20);
  await model.dispose();
});
