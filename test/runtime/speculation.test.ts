/**
 * Guesses of what a grammar lets come change how many batches a response takes, and nothing of the response: in every
 * format, with random weights. A sample of formats, another one at every seed; all of them in the long variant.
 */
import { LlamaContextSequence } from 'node-llama-cpp';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { demoTools } from '../../examples/support/demo-tools.ts';
import { tinyModelFile } from '../../examples/support/small-models.ts';
import type { Message } from '../../src/format/messages.ts';
import type { ResponseEvent } from '../../src/parser/events.ts';
import { ResponseRun } from '../../src/runtime/engine/decoding/response-run.ts';
import { type ChatModel, type ChatOptions, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { generatedFormats } from '../support/generated-formats.ts';
import { openLlamaTiny } from '../support/small-chats.ts';
import { spineTemplates } from '../support/spine-templates.ts';
import { testLlama } from '../support/test-models.ts';

const all = await spineTemplates();
const seed = Number(process.env.SEED);
const templates =
  process.env.LAWS === 'long' ? all : [0, 1].map((more) => all[(seed + more * 5) % all.length]);
afterEach(() => {
  vi.restoreAllMocks();
});

/** A response, and how many batches were waited for after the prompt's. */
async function respond(model: ChatModel, options: ChatOptions) {
  const batches = vi.spyOn(LlamaContextSequence.prototype, 'controlledEvaluate');
  const accepted = vi.spyOn(ResponseRun.prototype, 'accept');
  const events: ResponseEvent[] = [];
  const stream = model.chat(options);
  for await (const event of stream) events.push(event);
  const message = await stream.message;
  const sampled = accepted.mock.calls.filter(([, masked]) => masked !== false).length;
  const trips = sampled + batches.mock.calls.length;
  vi.restoreAllMocks();
  // Parts of it may come from the cache of the run before.
  const told = events.map((event) => (event.type === 'finish' ? { ...event, usage: null } : event));
  return { message, told, trips, confirmed: accepted.mock.calls.length - sampled };
}

/** Two turns: what the first has called stands before the second. */
async function compare(model: ChatModel) {
  const messages: Message[] = [{ role: 'user', content: 'Convert 12.5 to CHF, and 12.5 to EUR.' }];
  const counts = { plain: 0, guessed: 0 };
  for (let turn = 0; turn < 2; turn++) {
    const options = {
      messages,
      tools: demoTools,
      toolChoice: 'required',
      parallelToolCalls: false,
      thinkingBudget: 0,
      maxTokens: 300,
    } as const;
    const plain = await respond(model, options);
    const guessed = await respond(model, { ...options, speculate: true });
    expect(guessed.told).toEqual(plain.told);
    expect(guessed.message).toEqual(plain.message);
    counts.plain += plain.trips;
    counts.guessed += guessed.trips;
    const [call] = plain.message.tool_calls ?? [];
    // Random weights may write numbers without an end.
    if (call === undefined) break;
    messages.push(plain.message, { role: 'tool', tool_call_id: call.id ?? '', content: 'done' });
  }
  return counts;
}

describe.each(templates.flatMap((template) => template ?? []))('$name', ({ source, name }) => {
  it('writes the same with guesses', async () => {
    const format = generatedFormats().find((each) => each.name === name)?.format;
    const file = await tinyModelFile({
      vocabulary: 'llama-spm',
      markers: format?.preservedTokens ?? [],
      controls: format?.stops ?? [],
      chatTemplate: source,
    });
    const options = { threads: 1, contextSize: 4096, requireTools: false };
    const model = await loadModel(file, { llama: await testLlama(), ...options });
    const { plain, guessed } = await compare(model);
    expect(guessed).toBeLessThanOrEqual(plain);
    if (process.env.COUNTS !== undefined) console.log(name, plain, guessed);
    await model.dispose();
  });
});

it('speculation takes fewer batches where a call repeats what was called before', async () => {
  const model = await openLlamaTiny();
  const { plain, guessed } = await compare(model);
  expect(guessed).toBeLessThan(plain);
  await model.dispose();
});

it('speculation is refused where chance decides', async () => {
  const model = await openLlamaTiny();
  const messages = [{ role: 'user', content: 'Hello' }] as const;
  const { message } = model.chat({ messages, speculate: true, temperature: 1 });
  await expect(message).rejects.toThrow(expect.objectContaining({ option: 'speculate' }));
  await model.dispose();
});
