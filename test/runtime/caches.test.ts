/** What of a prompt is evaluated again, for models that keep their past in different ways. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { writeModelFile } from '../../examples/support/small-models.ts';
import type { Usage } from '../../src/parser/events.ts';
import { type ChatModel, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { chatTemplate } from '../support/small-chats.ts';
import { tinyModelFile, smallVocabulary as vocabulary } from '../support/small-vocabulary.ts';
import { testLlama } from '../support/test-models.ts';
import { type Past, tinyArchitecture } from '../support/tiny-architectures.ts';

const choice = {
  vocabulary,
  markers: ['<think>', '</think>', '<tool_call>', '</tool_call>'],
  controls: ['<|im_start|>', '<|im_end|>'],
  chatTemplate,
};

const note = {
  type: 'function',
  function: {
    name: 'note',
    description: 'Keeps a note.',
    parameters: {
      type: 'object',
      properties: { kind: { type: 'string', enum: ['one', 'other'] } },
      required: ['kind'],
      additionalProperties: false,
    },
  },
} as const;

async function open(past: Past | 'attention', sequences = 1): Promise<ChatModel> {
  let file: string;
  if (past === 'attention') file = await tinyModelFile(choice);
  else {
    file = path.join(os.tmpdir(), `idiolect-${past}-${process.pid}.gguf`);
    if (!fs.existsSync(file)) writeModelFile(file, await tinyArchitecture(past, choice));
  }
  return loadModel(file, { llama: await testLlama(), threads: 1, contextSize: 4096, sequences });
}

/** Five turns in which a tool is called and answers. */
async function runLoop(model: ChatModel): Promise<readonly Usage[]> {
  const messages: Parameters<ChatModel['chat']>[0]['messages'][number][] = [
    { role: 'system', content: 'You keep notes. '.repeat(100) },
    { role: 'user', content: 'Keep some.' },
  ];
  const usages: Usage[] = [];
  for (let turn = 0; turn < 5; turn++) {
    const stream = model.chat({
      messages,
      tools: [note],
      toolChoice: 'required',
      parallelToolCalls: false,
      thinkingBudget: 0,
    });
    const message = await stream.message;
    usages.push(await stream.usage);
    const [call] = message.tool_calls ?? [];
    expect(call?.function.name).toBe('note');
    messages.push(message, {
      role: 'tool',
      tool_call_id: call?.id ?? '',
      content: `Note ${turn}: ${'kept '.repeat(20)}`,
    });
  }
  return usages;
}

describe.each(['attention', 'recurrent', 'hybrid', 'sliding-window'] as const)('a model with %s', (past) => {
  it('evaluates what a turn of a tool loop adds, and hardly more', async () => {
    const model = await open(past);
    const usages = await runLoop(model);
    await model.dispose();
    const [first] = usages;
    expect(first?.cachedTokens).toBe(0);
    for (const [turn, { promptTokens, cachedTokens }] of usages.entries()) {
      const before = usages[turn - 1]?.promptTokens ?? 0;
      const beyond = promptTokens - (cachedTokens ?? 0) - (promptTokens - before);
      if (turn > 0) expect(beyond / promptTokens).toBeLessThanOrEqual(0.05);
    }
  });

  it('keeps the beginning that two conversations share', async () => {
    const model = await open(past);
    const ask = async (content: string): Promise<Usage> => {
      const messages = [
        { role: 'system', content: 'You keep notes. '.repeat(100) },
        { role: 'user', content },
      ] as const;
      const stream = model.chat({
        messages,
        tools: [note],
        toolChoice: 'required',
        parallelToolCalls: false,
        thinkingBudget: 0,
      });
      return await stream.usage;
    };
    await ask('What is new? '.repeat(20));
    await ask('Which is old? '.repeat(20));
    const { promptTokens, cachedTokens } = await ask('Where am I? '.repeat(20));
    await model.dispose();
    expect((cachedTokens ?? 0) / promptTokens).toBeGreaterThan(0.75);
  });
});

describe('chats on several sequences', () => {
  it('evaluate the beginning that they share once', async () => {
    const model = await open('attention', 4);
    const tools = Array.from({ length: 30 }, (_, index) => ({
      ...note,
      function: { ...note.function, name: `note_${index}` },
    }));
    const ask = (content: string) => {
      const messages = [{ role: 'user', content }] as const;
      const stream = model.chat({
        messages,
        tools,
        toolChoice: 'required',
        parallelToolCalls: false,
        thinkingBudget: 0,
      });
      return Promise.all([stream.usage, stream.calls]);
    };
    const answers = await Promise.all(['One?', 'Two?', 'Three?', 'Four?'].map(ask));
    await model.dispose();
    const evaluatedOf = ([{ promptTokens, cachedTokens }]: (typeof answers)[number]): number =>
      promptTokens - (cachedTokens ?? 0);
    const [first = 0, ...others] = answers.map(evaluatedOf).sort((one, other) => other - one);
    expect(answers.map(([, calls]) => calls.length)).toEqual([1, 1, 1, 1]);
    for (const evaluated of others) expect(evaluated / first).toBeLessThan(0.05);
  });

  it('are given up while they wait for it', async () => {
    const model = await open('attention', 2);
    const messages = [{ role: 'user', content: 'Why? '.repeat(200) }] as const;
    const leaving = new AbortController();
    const slow = model.chat({ messages, maxTokens: 5 });
    const waiting = model.chat({ messages, maxTokens: 5, signal: leaving.signal });
    const both = Promise.all([slow.message, expect(waiting.message).rejects.toThrow('enough')]);
    leaving.abort(new Error('enough'));
    const [message] = await both;
    expect(message.role).toBe('assistant');
    await model.dispose();
  });
});

describe('usage', () => {
  it('adds up to what was asked and written', async () => {
    const model = await open('attention');
    for (const toolChoice of ['auto', 'required'] as const) {
      const stream = model.chat({
        messages: [{ role: 'user', content: 'Keep one.' }],
        tools: [note],
        toolChoice,
        thinkingBudget: toolChoice === 'required' ? 0 : 100,
        maxTokens: 60,
      });
      let finish: Usage | undefined;
      for await (const event of stream) if (event.type === 'finish') finish = event.usage;
      const usage = await stream.usage;
      expect(finish).toEqual(usage);
      const { completionTokens, reasoningTokens, textTokens, callTokens, injectedTokens } = usage;
      expect(reasoningTokens + textTokens + callTokens).toBe(completionTokens);
      expect(completionTokens).toBeLessThanOrEqual(60);
      expect(injectedTokens).toBeLessThanOrEqual(completionTokens);
      expect(injectedTokens > 0).toBe(toolChoice === 'required');
      expect(usage.promptTokens).toBe(
        model.preview({ messages: [{ role: 'user', content: 'Keep one.' }], tools: [note], toolChoice })
          .promptTokens,
      );
    }
    await model.dispose();
  });
});
