/**
 * The toy model loads, its prompts are those it was trained on, and where it is right, grammar and injection change
 * neither what it says nor a single token of it.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LlamaContext, type LlamaContextSequence, type Token } from 'node-llama-cpp';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { judge } from '../../scripts/toy/judge.ts';
import { heldOutQuestions, type Question } from '../../scripts/toy/questions.ts';
import { conversationParts, headerText, learnTemplate } from '../../scripts/toy/samples.ts';
import { Tokenizer } from '../../scripts/toy/tokenizer.ts';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import type { Message } from '../../src/format/messages.ts';
import { verifyTemplate } from '../../src/generate/verify/verify-template.ts';
import { type ChatModel, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { type ToyFormat, toyModel } from '../../src/testing/index.ts';
import { toyTemplates } from '../../src/testing/toy/templates.ts';
import { toyMerges } from '../../src/testing/toy/tokens.ts';
import { testLlama } from '../support/test-models.ts';

const long = process.env.LAWS === 'long';
const formats = Object.keys(toyTemplates) as ToyFormat[];
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-toy-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const tokenizer = new Tokenizer(toyMerges());
const encode = (text: string): number[] => tokenizer.encode(text);

const turnEnds = ['<|im_end|>', '<|call|>', '<|return|>'].map((text) => tokenizer.special(text));

describe.each(formats)('the toy that writes %s', (format) => {
  let model: ChatModel;
  const file = path.join(folder, `${format}.gguf`);
  const questions = heldOutQuestions(long ? 100 : 4, { format, themes: ['call', 'refusal', 'parallel'] });

  beforeAll(async () => {
    const bytes = await toyModel(format);
    expect(bytes.length).toBeLessThan(2_000_000);
    fs.writeFileSync(file, bytes);
    model = await loadModel(file, { llama: await testLlama(), threads: 1, contextSize: 2048 });
  });
  afterAll(() => model.dispose());
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('has a template on which the laws hold', () => {
    expect(verifyTemplate(toyTemplates[format])).toMatchObject({ holds: true });
  });

  it('is asked in the tokens that it was trained on', async () => {
    const llama = await testLlama();
    const engine = await llama.loadModel({ modelPath: file, vocabOnly: true });
    const template = learnTemplate(format);
    for (const { messages, tools, thinking } of questions) {
      const system = messages[0]?.role === 'system' ? String(messages[0].content) : null;
      const rest = system === null ? messages : messages.slice(1);
      const trained =
        headerText(template, { system, tools }) +
        conversationParts(template, { messages: rest, thinking })[0]?.text;
      const { prompt } = model.preview({ messages: beforeAnswer(messages), tools, thinking });
      expect(prompt).toBe(trained);
      expect([...engine.tokenize(prompt, true)]).toEqual(encode(trained));
    }
    await engine.dispose();
  });

  it('writes the same tokens with grammar and injection as without, where it is right', async () => {
    const sequences: LlamaContextSequence[] = [];
    const original = LlamaContext.prototype.getSequence;
    vi.spyOn(LlamaContext.prototype, 'getSequence').mockImplementation(function (
      this: LlamaContext,
      ...given
    ) {
      const sequence = original.apply(this, given);
      sequences.push(sequence);
      return sequence;
    });
    const constrained = await loadModel(file, { llama: await testLlama(), threads: 1, contextSize: 2048 });
    let right = 0;
    for (const question of questions) {
      const { tools, thinking } = question;
      const request = { messages: beforeAnswer(question.messages), tools, thinking };
      const prompt = encode(model.preview(request).prompt);
      const free = await freely(prompt);
      if (free.join() !== [...prompt, ...encode(rightAnswer(question))].join()) continue;
      right += 1;
      const answer = question.messages[request.messages.length];
      const messages = answer === undefined ? [] : [...request.messages, answer];
      expect(await judge(constrained, { ...question, messages })).toMatchObject({ calls: true, words: true });
      // The others are of the runs without grammar. Forced text at the end of a response is not evaluated.
      const written = sequences[0]?.contextTokens ?? [];
      expect(written.length).toBeGreaterThan(prompt.length);
      expect(written).toEqual(free.slice(0, written.length));
    }
    await constrained.dispose();
    expect(right).toBeGreaterThan(0);
  });

  /** What a perfect toy would say first. */
  function rightAnswer({ messages, thinking }: Question): string {
    const rest = messages.filter(({ role }) => role !== 'system');
    return conversationParts(learnTemplate(format), { messages: rest, thinking })[1]?.text ?? '';
  }

  /** Prompt and response as the engine samples them greedily by itself. */
  async function freely(prompt: readonly number[]): Promise<Token[]> {
    const llama = await testLlama();
    const engine = await llama.loadModel({ modelPath: file });
    const context = await engine.createContext({ contextSize: 2048, threads: 1 });
    const tokens = prompt as Token[];
    const written: Token[] = [];
    const options = { temperature: 0, yieldEogToken: true }; // one format has such a token after thoughts
    for await (const token of context.getSequence().evaluate([...tokens], options)) {
      written.push(token);
      if (turnEnds.includes(token) || written.length === 300) break;
    }
    await engine.dispose();
    return [...tokens, ...written];
  }
});

function beforeAnswer(messages: readonly Message[]): readonly Message[] {
  return messages.slice(
    0,
    messages.findIndex(({ role }) => role === 'assistant'),
  );
}

it('knows three formats, and no other', async () => {
  await expect(toyModel('pascal' as ToyFormat)).rejects.toBeInstanceOf(UnsupportedOptionError);
});
