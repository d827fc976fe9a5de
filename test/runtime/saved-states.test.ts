/** Conversations that are kept in a file: what another process evaluates of them, and what is refused. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { LlamaContextSequence } from 'node-llama-cpp';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { writeModelFile } from '../../examples/support/small-models.ts';
import { StateFileError } from '../../src/format/errors.ts';
import type { Message } from '../../src/format/messages.ts';
import { type ChatModel, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { sampled } from '../support/sample.ts';
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
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-states-'));
afterAll(() => fs.rmSync(folder, { recursive: true }));
afterEach(() => {
  vi.restoreAllMocks();
});

async function modelFile(past: Past | 'attention'): Promise<string> {
  if (past === 'attention') return tinyModelFile(choice);
  const file = path.join(folder, `${past}.gguf`);
  if (!fs.existsSync(file)) writeModelFile(file, await tinyArchitecture(past, choice));
  return file;
}

async function open(file: string, contextSize = 2048, sequences = 1): Promise<ChatModel> {
  return loadModel(file, { llama: await testLlama(), threads: 1, contextSize, sequences });
}

const messages: readonly Message[] = [
  { role: 'system', content: 'You keep notes. '.repeat(60) },
  { role: 'user', content: 'Keep one.' },
];
const request = { maxTokens: 12, temperature: 0 } as const;
const more: Message = { role: 'user', content: 'And now?' };
const kinds = ['attention', 'recurrent', 'hybrid', 'sliding-window'] as const;

describe.each(sampled(kinds, 2))('a model with %s', (past) => {
  it('goes on in another process without evaluating what it had', async () => {
    const file = await modelFile(past);
    const state = path.join(folder, `${past}.state`);
    const first = await open(file);
    const answer = await first.chat({ ...request, messages }).message;
    const history = [...messages, answer];
    const { tokens } = await first.saveState(state, { messages: history });
    const stream = first.chat({ ...request, messages: [...history, more] });
    const expected = await stream.message;
    await first.dispose();

    const second = await open(file);
    expect(await second.restoreState(state)).toEqual({ tokens });
    const resumed = second.chat({ ...request, messages: [...history, more] });
    expect(await resumed.message).toEqual(expected);
    const { promptTokens, cachedTokens } = await resumed.usage;
    expect(cachedTokens).toBe(tokens);
    // What is new: the message, and the opening of the answer.
    const before = second.preview({ messages }).promptTokens;
    expect(tokens).toBeGreaterThan(0.9 * before);
    expect(promptTokens - tokens).toBeLessThan(0.15 * promptTokens);
    await second.dispose();
  });
});

it('a kept conversation keeps what the next turn begins with, where templates drop thoughts and the model cannot go back', async () => {
  const file = await modelFile('recurrent');
  const state = path.join(folder, 'thoughts.state');
  const thought: Message = { role: 'assistant', reasoning_content: 'Which one?', content: 'It is kept.' };
  const history = [...messages, thought];
  const first = await open(file);
  const { tokens } = await first.saveState(state, { messages: history });
  const { promptTokens } = first.preview({ messages: history });
  await first.dispose();
  const second = await open(file);
  await second.restoreState(state);
  const { cachedTokens } = await second.chat({ ...request, messages: [...history, more] }).usage;
  await second.dispose();
  expect(cachedTokens).toBe(tokens);
  expect(tokens).toBeLessThan(promptTokens);
});

it('a kept conversation is restored into as many sequences as it was saved with, and no others', async () => {
  const file = await modelFile('attention');
  const state = path.join(folder, 'two.state');
  const first = await open(file, 2048, 2);
  const { tokens } = await first.saveState(state, { messages });
  await first.dispose();
  const second = await open(file, 2048, 2);
  expect(await second.restoreState(state)).toEqual({ tokens });
  await second.dispose();
  const third = await open(file, 2048, 3);
  const load = vi.spyOn(LlamaContextSequence.prototype, 'loadStateFromFile');
  await expect(third.restoreState(state)).rejects.toThrow(/saved with sequences: 2\b.* sequences: 3\b/);
  expect(load).not.toHaveBeenCalled();
  await third.dispose();
});

it('a kept conversation evaluates a beginning that no chat has had, and replaces a file', async () => {
  const state = path.join(folder, 'beginning.state');
  fs.writeFileSync(state, 'something else');
  const model = await open(await modelFile('attention'));
  const { tokens } = await model.saveState(state, { messages });
  await model.dispose();
  const other = await open(await modelFile('attention'));
  await other.restoreState(state);
  const stream = other.chat({ ...request, messages });
  expect((await stream.usage).cachedTokens).toBe(tokens);
  await other.dispose();
  expect(fs.readdirSync(folder).filter((name) => name.startsWith('.idiolect-state'))).toEqual([]);
});

describe('a state is refused before the engine sees it', async () => {
  const state = path.join(folder, 'whole.state');
  const model = await open(await modelFile('attention'));
  afterAll(() => model.dispose());
  await model.saveState(state, { messages });
  const bytes = fs.readFileSync(state);

  async function refusal(changed: Uint8Array, by = model, options = {}): Promise<StateFileError> {
    const file = path.join(folder, 'changed.state');
    fs.writeFileSync(file, changed);
    const load = vi.spyOn(LlamaContextSequence.prototype, 'loadStateFromFile');
    const error = await by.restoreState(file, options).then(
      () => new Error('it was taken'),
      (reason: unknown) => reason,
    );
    expect(load).not.toHaveBeenCalled();
    if (!(error instanceof StateFileError)) throw error;
    expect(error.file).toBe(file);
    return error;
  }

  it('where any bit of it is another', async () => {
    const place = fc.oneof(fc.nat(1023), fc.nat(bytes.length - 1));
    await fc.assert(
      fc.asyncProperty(place, fc.nat(7), async (at, bit) => {
        const changed = Uint8Array.from(bytes);
        changed[at] = (changed[at] ?? 0) ^ (1 << bit);
        const { reason, message } = await refusal(changed);
        expect(reason).not.toContain('llama.cpp:');
        // A sentence about the file: `a.state is damaged`.
        expect(message).toMatch(/\S(?<!:) (?:is|was|holds) /);
      }),
      { numRuns: 60 },
    );
  });

  it('where it is cut, or longer, or something else', async () => {
    for (const length of [0, 10, 1023, 1024, 1030, bytes.length - 1]) {
      await refusal(bytes.subarray(0, length));
    }
    await refusal(Buffer.concat([bytes, Buffer.from('x')]));
    await refusal(fs.readFileSync(await modelFile('attention')));
  });

  it('where the header lies: numbers of any size, other shapes', async () => {
    const start = 'idiolect state 2\n'.length;
    const header = JSON.parse(bytes.toString('latin1', start, 1024));
    const lies = fc.oneof(
      fc.record({ tokens: fc.oneof(fc.integer(), fc.double()) }),
      fc.record({ bytes: fc.oneof(fc.integer(), fc.double()) }),
      fc.record({ hash: fc.string({ maxLength: 64 }) }),
      fc.record({ model: fc.string({ maxLength: 64 }) }),
      fc.record({ engine: fc.string({ maxLength: 64 }) }),
      fc.record({ sequences: fc.oneof(fc.integer(), fc.double()) }),
    );
    await fc.assert(
      fc.asyncProperty(lies, async (lie) => {
        fc.pre(Object.entries(lie).some(([name, value]) => header[name] !== value));
        const text = `${bytes.toString('latin1', 0, start)}${JSON.stringify({ ...header, ...lie })}`;
        const changed = Buffer.concat([Buffer.from(text.padEnd(1024), 'latin1'), bytes.subarray(1024)]);
        await refusal(changed);
      }),
      { numRuns: 40 },
    );
  });

  it('where it is longer than its tokens can be, before any of it is copied', async () => {
    const start = 'idiolect state 2\n'.length;
    const size = 8 * 1024 ** 3;
    const header = { ...JSON.parse(bytes.toString('latin1', start, 1024)), bytes: size };
    const file = path.join(folder, 'sparse.state');
    fs.writeFileSync(file, bytes);
    const target = fs.openSync(file, 'r+');
    fs.writeSync(target, JSON.stringify(header).padEnd(1023 - start), start);
    fs.ftruncateSync(target, 1024 + size);
    fs.closeSync(target);
    const copied = vi.spyOn(os, 'tmpdir');
    await expect(model.restoreState(file)).rejects.toThrow(StateFileError);
    expect(copied).not.toHaveBeenCalled();
    copied.mockRestore();
    fs.rmSync(file);
  });

  it('where it is the state of other weights of the same shape', async () => {
    const file = path.join(folder, 'other.gguf');
    const weights = fs.readFileSync(await modelFile('attention'));
    weights[weights.length - 3] = (weights[weights.length - 3] ?? 0) ^ 1;
    fs.writeFileSync(file, weights);
    const other = await open(file);
    expect((await refusal(bytes, other)).reason).toContain('another model');
    await other.dispose();
  });

  it('where the context is too short for it', async () => {
    const short = await open(await modelFile('attention'), 256);
    expect((await refusal(bytes, short)).reason).toContain('larger contextSize');
    await short.dispose();
  });

  it('where its secret is another, or is not there', async () => {
    const sealed = path.join(folder, 'sealed.state');
    await model.saveState(sealed, { messages }, { secret: 'one' });
    const signed = fs.readFileSync(sealed);
    expect((await refusal(signed)).reason).toContain('give it');
    expect((await refusal(signed, model, { secret: 'other' })).reason).toContain('another secret');
    expect((await refusal(bytes, model, { secret: 'one' })).reason).toContain('not signed');
    vi.restoreAllMocks();
    expect((await model.restoreState(sealed, { secret: 'one' })).tokens).toBeGreaterThan(0);
  });

  it('where there is none', async () => {
    for (const file of [path.join(folder, 'missing'), folder]) {
      await expect(model.restoreState(file)).rejects.toThrow(StateFileError);
    }
    await expect(model.saveState(path.join(folder, 'missing', 'a'), { messages })).rejects.toThrow(
      StateFileError,
    );
  });

  it('and the model goes on as before', async () => {
    const message = await model.chat({ ...request, messages }).message;
    expect(message.role).toBe('assistant');
  });
});
