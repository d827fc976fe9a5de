/** What five turns of a tool loop cost, counted to the token: in this process, by two kinds of models, and behind a server. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, it } from 'vitest';
import { writeModelFile } from '../../examples/support/small-models.ts';
import type { Message } from '../../src/format/messages.ts';
import type { Usage } from '../../src/parser/events.ts';
import { addUsage, noUsage } from '../../src/runtime/chat/token-usage.ts';
import { connectEngine } from '../../src/runtime/engine/index.ts';
import { loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { connectServer } from '../../src/servers/index.ts';
import { scriptedEngine } from '../../src/testing/index.ts';
import { serveModel } from '../support/model-server.ts';
import { chatTemplate } from '../support/small-chats.ts';
import { tinyModelFile, smallVocabulary as vocabulary } from '../support/small-vocabulary.ts';
import { testLlama } from '../support/test-models.ts';
import { tinyArchitecture } from '../support/tiny-architectures.ts';

const choice = {
  vocabulary,
  markers: ['<think>', '</think>', '<tool_call>', '</tool_call>'],
  controls: ['<|im_start|>', '<|im_end|>'],
  chatTemplate,
};
const parameters = {
  type: 'object',
  properties: { kind: { type: 'string', enum: ['one', 'other'] } },
  required: ['kind'],
  additionalProperties: false,
} as const;
const tools = [{ type: 'function', function: { name: 'note', parameters } }] as const;
const request = { tools, toolChoice: 'required', parallelToolCalls: false, thinkingBudget: 0 } as const;

type Chat = (messages: readonly Message[]) => {
  readonly message: Promise<Message & { readonly tool_calls?: readonly { readonly id: string }[] }>;
  readonly usage: Promise<Usage>;
};

/** Five turns; the messages with which each was asked for, and what it cost. */
async function runLoop(chat: Chat) {
  const messages: Message[] = [{ role: 'user', content: 'Keep some.' }];
  const turns: { readonly asked: readonly Message[]; readonly usage: Usage }[] = [];
  for (let turn = 0; turn < 5; turn++) {
    const asked = [...messages];
    const stream = chat(asked);
    const message = await stream.message;
    turns.push({ asked, usage: await stream.usage });
    const [call] = message.tool_calls ?? [];
    messages.push(message, { role: 'tool', tool_call_id: call?.id ?? '', content: `Note ${turn}.` });
  }
  return turns;
}

function expectSums(usages: readonly Usage[]): void {
  for (const { completionTokens, reasoningTokens, textTokens, callTokens, injectedTokens } of usages) {
    expect(reasoningTokens + textTokens + callTokens).toBe(completionTokens);
    expect(callTokens).toBeGreaterThan(0);
    expect(injectedTokens).toBeLessThanOrEqual(completionTokens);
  }
  const total = usages.reduce(addUsage, noUsage);
  for (const field of ['promptTokens', 'cachedTokens', 'completionTokens', 'injectedTokens'] as const) {
    const isKnown = usages.every((usage) => usage[field] !== null);
    expect(total[field]).toBe(isKnown ? usages.reduce((sum, usage) => sum + (usage[field] ?? 0), 0) : null);
  }
}

it.each(['attention', 'recurrent'] as const)(
  'usage adds up in this process, by a model with %s',
  async (past) => {
    const written = path.join(os.tmpdir(), `idiolect-usage-${past}-${process.pid}.gguf`);
    if (past === 'recurrent') writeModelFile(written, await tinyArchitecture(past, choice));
    const file = past === 'recurrent' ? written : await tinyModelFile(choice);
    const model = await loadModel(file, { llama: await testLlama(), threads: 1, contextSize: 2048 });
    const turns = await runLoop((messages) => model.chat({ ...request, messages }));
    for (const [turn, { asked, usage }] of turns.entries()) {
      expect(usage.promptTokens).toBe(model.preview({ ...request, messages: asked }).promptTokens);
      // All that an earlier turn has evaluated of this prompt is in the cache; the prompts only grow.
      const before = turns[turn - 1]?.usage.promptTokens ?? 0;
      expect(usage.cachedTokens ?? 0).toBeGreaterThanOrEqual(before - Math.ceil(0.05 * usage.promptTokens));
      expect(usage.cachedTokens ?? 0).toBeLessThan(usage.promptTokens);
    }
    expectSums(turns.map(({ usage }) => usage));
    await model.dispose();
    fs.rmSync(written, { force: true });
  },
);

it('behind llama-server, whose own count of the prompt is the judge', async () => {
  const server = await serveModel(await tinyModelFile(choice), 'llama-server');
  const model = await connectServer({ kind: 'llama-server', url: server.url });
  const prompts: number[] = [];
  const turns = await runLoop((messages) => {
    const known = server.requests.length;
    const stream = model.chat({ ...request, messages });
    const usage = stream.usage.then((cost) => {
      const [first] = server.requests.slice(known).filter(({ path: at }) => at === '/completion');
      prompts.push(Array.isArray(first?.body.prompt) ? first.body.prompt.length : 0);
      return cost;
    });
    return { message: stream.message, usage };
  });
  await server.close();
  const usages = turns.map(({ usage }) => usage);
  // With no budget for thoughts, what closes them may be written before the first request.
  for (const [turn, { promptTokens }] of usages.entries()) {
    expect(prompts[turn]).toBeGreaterThanOrEqual(promptTokens);
    expect((prompts[turn] ?? 0) - promptTokens).toBeLessThan(8);
  }
  expectSums(usages);
  for (const { injectedTokens } of usages) expect(injectedTokens).toBe(0);
});

it('counts the prompt of a response on which the grammar leaves no choice, which is not evaluated', async () => {
  const model = await connectEngine(scriptedEngine({ turns: [] }));
  const messages = [{ role: 'user', content: 'Go.' }] as const;
  const schema = { const: 9_007_199_254_740_991 };
  const chat = model.chat({
    messages,
    thinking: false,
    responseFormat: { type: 'json_schema', json_schema: { name: 'x', schema } },
  });
  expect(await chat.object).toBe(schema.const);
  const { promptTokens, cachedTokens, completionTokens, injectedTokens } = await chat.usage;
  expect(promptTokens).toBe(await model.chat({ messages, thinking: false }).promptTokens);
  expect({
    cachedTokens,
    isWritten: completionTokens > 0,
    isForced: injectedTokens === completionTokens,
  }).toEqual({
    cachedTokens: 0,
    isWritten: true,
    isForced: true,
  });
  await model.dispose();
});
