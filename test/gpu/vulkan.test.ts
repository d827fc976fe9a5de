/**
 * Enforcement while a GPU backend samples: node-llama-cpp's prebuilt Vulkan binary, on a graphics card or on Mesa's
 * software driver. `npm run test:gpu`; the first run compiles shaders, which takes a minute or two.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { tinyModelFile, writeModelFile } from '../../examples/support/small-models.ts';
import type { ToolCall } from '../../src/format/messages.ts';
import type { ChatModel, ChatOptions, LoadModelOptions } from '../../src/runtime/node-llama-cpp/index.ts';
import { formatOnGpu, gpuLlama, openOnGpu, openRandom } from '../support/gpu-models.ts';
import { tinyArchitecture } from '../support/tiny-architectures.ts';

/** Templates, and what opens a call in them, token by token. */
const names = new Map([
  ['Qwen-Qwen3-0.6B', ['<tool_call>']],
  ['GLM-4.6', ['<tool_call>']],
  ['Mistral-Small-3.2-24B-Instruct-2506', ['[TOOL_CALLS]']],
  ['moonshotai-Kimi-K2', ['<|tool_calls_section_begin|>', '<|tool_call_begin|>']],
  ['LFM2.5-8B-A1B', ['<|tool_call_start|>', '[']],
]);
const formats = await Promise.all(
  [...names].map(async ([name, opener]) => ({ name, opener, ...(await formatOnGpu(name)) })),
);
const [qwen] = formats;
if (qwen === undefined) throw new Error('there are no formats');

const note = {
  type: 'function',
  function: {
    name: 'note',
    description: 'Keeps a note.',
    parameters: {
      type: 'object',
      properties: {
        kind: { type: 'string', enum: ['one', 'other'] },
        count: { type: 'integer', minimum: 1, maximum: 9 },
        text: { type: 'string', maxLength: 6 },
      },
      required: ['kind', 'count', 'text'],
      additionalProperties: false,
    },
  },
} as const;
const isValid = new Ajv({ strict: false }).compile(note.function.parameters);
const messages = [{ role: 'user', content: 'Keep a note.' }] as const;
const asked: ChatOptions = {
  messages,
  tools: [note],
  parallelToolCalls: false,
  thinkingBudget: 0,
  temperature: 1,
  maxTokens: 300,
};
const demanded: ChatOptions = { ...asked, toolChoice: 'required' };

function expectValid(calls: readonly ToolCall[] | undefined): void {
  expect(calls).toHaveLength(1);
  for (const { function: called } of calls ?? []) {
    expect(called.name).toBe('note');
    expect(isValid(JSON.parse(called.arguments)), called.arguments).toBe(true);
  }
}

describe('the backend', () => {
  it('is a GPU, and holds the layers', async () => {
    const llama = await gpuLlama();
    expect(llama.gpu).toBe('vulkan');
    const model = await llama.loadModel({ modelPath: await tinyModelFile(qwen.choice), gpuLayers: 'max' });
    expect(model.gpuLayers).toBeGreaterThan(0);
    await model.dispose();
  });
});

describe.each(formats)('$name', (each) => {
  it('required: random weights write a valid call, with forced text injected and sampled', async () => {
    const model = await openRandom(each);
    for (const injectForcedText of [true, false]) {
      const stream = model.chat({ ...demanded, seed: 1, injectForcedText });
      const message = await stream.message;
      expect(message.malformed).toBeUndefined();
      expectValid(message.tool_calls);
      const { injectedTokens } = await stream.usage;
      expect(injectedTokens > 10).toBe(injectForcedText);
    }
    await model.dispose();
  });

  it('auto: a call that the model begins is enforced', async () => {
    const model = await openRandom(each);
    // Each token of the opener is likelier than the next, until it has been written.
    const logitBias = each.opener.map((token, index) => [token, 100 - 20 * index] as const);
    const message = await model.chat({ ...asked, toolNames: 'offered', seed: 1, logitBias, repeatPenalty: 2 })
      .message;
    await model.dispose();
    expect(message.malformed).toBeUndefined();
    expectValid(message.tool_calls);
  });
});

/** Calls in turn; each answer and its result are part of the next prompt. */
async function runLoop(model: ChatModel, turns: number) {
  const conversation: Parameters<ChatModel['chat']>[0]['messages'][number][] = [
    { role: 'system', content: 'You keep notes. '.repeat(20) },
    ...messages,
  ];
  const usages = [];
  for (let turn = 0; turn < turns; turn++) {
    const stream = model.chat({ ...demanded, messages: conversation, seed: turn });
    const message = await stream.message;
    expectValid(message.tool_calls);
    usages.push(await stream.usage);
    const [call] = message.tool_calls ?? [];
    conversation.push(message, { role: 'tool', tool_call_id: call?.id ?? '', content: 'Done.' });
  }
  return usages;
}

describe('what the GPU computes', () => {
  it.each<LoadModelOptions>([{ gpuLayers: 0 }, { gpuLayers: 'max', flashAttention: true }])(
    'changes nothing about the grammar: %j',
    async (options) => {
      const model = await openRandom(qwen, options);
      const message = await model.chat({ ...demanded, seed: 1 }).message;
      await model.dispose();
      expectValid(message.tool_calls);
    },
  );

  it('is asked for few tokens, and gets the others in batches', async () => {
    const model = await openRandom(qwen);
    const sampled = async (injectForcedText: boolean): Promise<number> => {
      const { completionTokens, injectedTokens } = await model.chat({
        ...demanded,
        seed: 2,
        injectForcedText,
      }).usage;
      return completionTokens - injectedTokens;
    };
    const [few, all] = [await sampled(true), await sampled(false)];
    await model.dispose();
    console.log(`sampled tokens of a call: ${few} with injection, ${all} without`);
    expect(few / all).toBeLessThan(0.5);
  });
});

describe('states on the GPU', () => {
  it.each(['attention', 'recurrent'] as const)('a model with %s goes on where it stopped', async (past) => {
    const file = path.join(os.tmpdir(), `idiolect-gpu-${past}-${process.pid}.gguf`);
    if (past !== 'attention') writeModelFile(file, await tinyArchitecture(past, qwen.choice));
    const model = await openOnGpu(past === 'attention' ? await tinyModelFile(qwen.choice) : file);
    const usages = await runLoop(model, 3);
    await model.dispose();
    fs.rmSync(file, { force: true });
    for (const [turn, { promptTokens, cachedTokens }] of usages.entries()) {
      const before = usages[turn - 1]?.promptTokens ?? 0;
      const beyond = before - (cachedTokens ?? 0);
      if (turn > 0) expect(beyond / promptTokens).toBeLessThanOrEqual(0.05);
    }
  });

  it('chats on several sequences share the beginning of their prompts', async () => {
    const model = await openRandom(qwen, { sequences: 3, contextSize: 512 });
    const answers = await Promise.all(
      [1, 2, 3].map(async (seed) => {
        const stream = model.chat({ ...demanded, seed });
        return { message: await stream.message, usage: await stream.usage };
      }),
    );
    await model.dispose();
    for (const { message } of answers) expectValid(message.tool_calls);
    const evaluated = answers.map(({ usage }) => usage.promptTokens - (usage.cachedTokens ?? 0));
    const [first = 0, ...others] = evaluated.sort((one, other) => other - one);
    for (const each of others) expect(each / first).toBeLessThan(0.05);
  });
});
