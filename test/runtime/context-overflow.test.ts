/** Conversations and responses that the context cannot hold: refused and cut, or shortened by whole turns. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeModelFile } from '../../examples/support/small-models.ts';
import { ContextOverflowError } from '../../src/format/errors.ts';
import type { Message } from '../../src/format/messages.ts';
import { finish, type Steps } from '../../src/language/expression/steps.ts';
import { fitPrompt } from '../../src/runtime/engine/context-window.ts';
import { type ChatModel, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { chatTemplate, openLlamaTiny, vocabulary } from '../support/small-chats.ts';
import { testLlama } from '../support/test-models.ts';
import { tinyArchitecture } from '../support/tiny-architectures.ts';

const contextSize = 1000;

function shortened(messages: readonly Message[], wanted: number) {
  return finish(fitPrompt(messages, renderSteps, { contextSize, wanted }));
}

function* renderSteps(messages: readonly Message[]): Steps<ReturnType<typeof render>> {
  yield;
  return render(messages);
}

/** A prompt of as many tokens as the contents of the messages say. */
function render(messages: readonly Message[]) {
  const tokens = messages.flatMap((message) =>
    Array.from({ length: Number(message.content) }, () => message),
  );
  return { tokens, messages };
}

const size = fc.integer({ min: 1, max: 120 }).map(String);
const step = fc.tuple(size, size).map(([call, result]): readonly Message[] => [
  { role: 'assistant', content: call },
  { role: 'tool', tool_call_id: '0', content: result },
]);
const turn = fc
  .tuple(size, fc.array(step, { maxLength: 3 }), size, fc.boolean())
  .map(([question, steps, answer, answered]): readonly Message[] => [
    { role: 'user', content: question },
    ...steps.flat(),
    ...(answered ? [{ role: 'assistant', content: answer } as const] : []),
  ]);
const conversation = fc
  .tuple(size, fc.array(turn, { minLength: 1, maxLength: 12 }))
  .map(([system, turns]): readonly Message[] => [{ role: 'system', content: system }, ...turns.flat()]);
const wanted = fc.integer({ min: 1, max: 300 });

describe('what is left of a conversation', () => {
  it('is found in memory that grows as the conversation does', () => {
    const pair = (index: number): readonly Message[] => [
      { role: 'user', content: '1' },
      { role: 'assistant', content: index % 2 === 0 ? '1' : '2' },
    ];
    // A copy of it for each of its turns would be 10 GB.
    const messages = Array.from({ length: 25_000 }, (_, index) => pair(index)).flat();
    const { prompt, dropped } = shortened(messages, 100);
    expect(prompt.tokens.length).toBeLessThanOrEqual(contextSize - 100);
    expect(dropped).toBe(messages.length - prompt.messages.length);
    expect(prompt.messages).toEqual(messages.slice(dropped));
  });

  it('fits, in whole turns or steps, with the system message and the last question', () => {
    fc.assert(
      fc.property(conversation, wanted, (messages, room) => {
        let fitted: ReturnType<typeof shortened>;
        try {
          fitted = shortened(messages, room);
        } catch (error) {
          expect(error).toBeInstanceOf(ContextOverflowError);
          const question = messages.findLastIndex(({ role }) => role === 'user');
          const last = Math.max(
            question + 1,
            messages.findLastIndex(({ role }) => role === 'assistant'),
          );
          const least = [messages[0], messages[question], ...messages.slice(last)];
          const needed = render(least.filter((message) => message !== undefined)).tokens.length;
          expect(error).toMatchObject({ needed: needed + 1, available: contextSize });
          expect(needed).toBeGreaterThanOrEqual(contextSize);
          return;
        }
        const left = fitted.prompt.messages;
        expect(fitted.dropped).toBe(messages.length - left.length);
        expect(fitted.prompt.tokens.length).toBeLessThan(contextSize);
        // In order, and nothing that was not there.
        expect(left).toEqual(messages.filter((message) => left.includes(message)));
        expect(left[0]).toBe(messages[0]);
        expect(left).toContain(messages.findLast(({ role }) => role === 'user'));
        expect(left.at(-1)).toBe(messages.at(-1));
        expect(left[1]?.role).toBe('user');
        for (const [index, message] of left.entries()) {
          if (message.role === 'tool') expect(left[index - 1]).toBe(messages[messages.indexOf(message) - 1]);
        }
        if (render(messages).tokens.length + room <= contextSize) expect(fitted.dropped).toBe(0);
      }),
    );
  });

  it('begins alike in most turns of a conversation that grows', () => {
    const messages: Message[] = [{ role: 'system', content: '50' }];
    const beginnings = new Set<Message | undefined>();
    for (let count = 0; count < 200; count++) {
      messages.push({ role: 'user', content: '10' });
      beginnings.add(shortened(messages, 100).prompt.messages[1]);
      messages.push({ role: 'assistant', content: '15' });
    }
    // 5,000 tokens in steps of 250.
    expect(beginnings.size).toBeGreaterThan(10);
    expect(beginnings.size).toBeLessThan(21);
  });
});

const system: Message = { role: 'system', content: 'You are brief.' };
const chatter = Array.from({ length: 8 }, (_, index): readonly Message[] => [
  { role: 'user', content: `Question ${index}: ${'and so on '.repeat(4)}` },
  { role: 'assistant', content: `Answer ${index}.` },
]).flat();
const last: Message = { role: 'user', content: 'The last question' };
const messages = [system, ...chatter, last];

async function openRecurrent(contextSize: number): Promise<ChatModel> {
  const file = path.join(os.tmpdir(), `idiolect-shift-${process.pid}.gguf`);
  const markers = ['<think>', '</think>', '<tool_call>', '</tool_call>'];
  const controls = ['<|im_start|>', '<|im_end|>'];
  writeModelFile(file, await tinyArchitecture('recurrent', { vocabulary, markers, controls, chatTemplate }));
  const model = await loadModel(file, { llama: await testLlama(), threads: 1, contextSize });
  fs.rmSync(file);
  return model;
}

describe('a conversation that is too long', () => {
  it('is refused with its size', async () => {
    const model = await openLlamaTiny({ contextSize: 256 });
    for (const option of [{}, { contextOverflow: 'error' }] as const) {
      const error = await model.chat({ messages, ...option }).message.catch((reason: unknown) => reason);
      const { promptTokens } = model.preview({ messages });
      expect(error).toBeInstanceOf(ContextOverflowError);
      expect(error).toMatchObject({ needed: promptTokens + 1, available: 256, atLeast: false });
    }
    const huge = { role: 'user', content: 'and so on '.repeat(200) } as const;
    const shifting = model.chat({ messages: [...messages, huge], contextOverflow: 'shift' });
    await expect(shifting.message).rejects.toThrow(ContextOverflowError);
    const endless = { role: 'user', content: 'and so on '.repeat(1_700_000) } as const;
    // No template may write as much.
    await expect(model.chat({ messages: [endless] }).message).rejects.toThrow(ContextOverflowError);
    await model.dispose();
  });

  it('is said to need at least so many tokens where they were not counted', async () => {
    const model = await openLlamaTiny({ contextSize: 256 });
    const errorOf = (content: string) =>
      model.chat({ messages: [{ role: 'user', content }] }).message.catch((reason: unknown) => reason);
    for (let length = 1000; length < 1_000_000; length *= 10) {
      const error = (await errorOf('a '.repeat(length))) as ContextOverflowError;
      expect(error).toBeInstanceOf(ContextOverflowError);
      const { needed, atLeast, message } = error;
      expect(message.includes('at least')).toBe(atLeast);
      // With the template, each of these characters is a token or a part of one.
      if (atLeast) expect(needed).toBeLessThan(2 * length);
      else expect(needed).toBeGreaterThan(length);
    }
    expect(await errorOf('a '.repeat(1_000_000))).toMatchObject({ atLeast: true });
    await model.dispose();
  });

  it('is shortened where that is asked for, and the response says so', async () => {
    const model = await openLlamaTiny({ contextSize: 256 });
    const options = { messages, contextOverflow: 'shift', maxTokens: 20 } as const;
    const { prompt, promptTokens } = model.preview(options);
    expect(promptTokens + 20).toBeLessThanOrEqual(256);
    for (const text of ['You are brief.', 'Answer 7.', 'The last question']) expect(prompt).toContain(text);
    expect(prompt).not.toContain('Question 0');
    const stream = model.chat(options);
    const { droppedMessages, completionTokens } = await stream.usage;
    expect(droppedMessages).toBe(chatter.length - 2 * (prompt.match(/Question/g)?.length ?? 0));
    expect(completionTokens).toBe(20);
    await model.dispose();
  });
});

describe.each([
  ['attention', (contextSize: number) => openLlamaTiny({ contextSize })],
  ['a recurrent state', openRecurrent],
])('a response at the end of the context of a model with %s', (_, open) => {
  const short = [system, ...chatter.slice(0, 6), last];
  const free = { messages: short, thinking: false, logitBias: [['ab', 50]], maxTokens: 170 } as const;
  const schema = {
    type: 'object',
    properties: { text: { type: 'string', minLength: 1800, maxLength: 1810 }, sure: { type: 'boolean' } },
    required: ['text', 'sure'],
    additionalProperties: false,
  } as const;
  const tools = [{ name: 'note', inputSchema: schema }] as const;

  it('is cut there, or goes on after fewer messages', async () => {
    const model = await open(256);
    const { promptTokens } = model.preview(free);
    expect(promptTokens + 170).toBeGreaterThan(256);
    const cut = model.chat(free);
    expect((await cut.usage).completionTokens).toBe(256 - promptTokens);
    const shifted = model.chat({ ...free, contextOverflow: 'shift' });
    const { content } = await shifted.message;
    const usage = await shifted.usage;
    expect(usage.completionTokens).toBe(170);
    expect(usage.droppedMessages).toBeGreaterThan(0);
    expect(content).toBe('ab'.repeat(170));
    // Alone with the last question, a response is bounded by the context.
    const endless = model.chat({ ...free, maxTokens: 100_000, contextOverflow: 'shift' });
    const { completionTokens } = await endless.usage;
    expect(completionTokens).toBeGreaterThan(170);
    expect(completionTokens).toBeLessThan(256);
    await model.dispose();
  });

  it('is whole where that lies within a call', async () => {
    const model = await open(768);
    const calling = {
      messages,
      tools,
      toolChoice: 'required',
      thinking: false,
      parallelToolCalls: false,
    } as const;
    const { promptTokens } = model.preview(calling);
    const stream = model.chat({ ...calling, contextOverflow: 'shift', temperature: 1, seed: 3 });
    const calls = await stream.calls;
    const usage = await stream.usage;
    expect(calls.map(({ name }) => name)).toEqual(['note']);
    expect([...(calls[0]?.arguments.text ?? '')].length).toBeGreaterThanOrEqual(1800);
    expect(promptTokens + usage.completionTokens).toBeGreaterThan(768);
    expect(usage.droppedMessages).toBeGreaterThan(0);
    await model.dispose();
  });
});
