/**
 * The toy model loads, its prompts are those it was trained on, and where it is right, grammar and injection change
 * neither what it says nor a single token of it, nor does it find any of them unlikely.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LlamaContext, type LlamaContextSequence, type Token } from 'node-llama-cpp';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { heldOutQuestions, type Question } from '../../scripts/toy/questions.ts';
import { conversationParts, headerText, learnTemplate } from '../../scripts/toy/samples.ts';
import { Tokenizer } from '../../scripts/toy/tokenizer.ts';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import type { AssistantMessage, Message } from '../../src/format/messages.ts';
import { verifyTemplate } from '../../src/generate/verify/verify-template.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { type ChatModel, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { type ToyFormat, toyModel } from '../../src/testing/index.ts';
import { toyTemplates } from '../../src/testing/toy/templates.ts';
import { toyMerges } from '../../src/testing/toy/tokens.ts';
import { sampled as drawn } from '../support/sample.ts';
import { testLlama } from '../support/test-models.ts';

const long = process.env.LAWS === 'long';
const formats = Object.keys(toyTemplates) as ToyFormat[];
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-toy-'));
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

const tokenizer = new Tokenizer(toyMerges());
const encode = (text: string): number[] => tokenizer.encode(text);

const injected: Way = { injectForcedText: true, toolChoice: 'auto' };
const sampled: Way = { injectForcedText: false, toolChoice: 'auto' };
const made: Way = { injectForcedText: true, toolChoice: 'required' };

/** In nats. A token is the likeliest or not, but batches of other sizes add up in another order. */
const mostShortfall = 0.01;

const turnEnds = ['<|im_end|>', '<|call|>', '<|return|>'].map((text) => tokenizer.special(text));

describe.each(drawn(formats, 3))(
  'the toy that writes %s',
  { timeout: long ? 900_000 : 120_000 },
  (format) => {
    let model: ChatModel;
    const file = path.join(folder, `${format}.gguf`);
    const questions = heldOutQuestions(long ? 40 : 4, { format, themes: ['call', 'refusal', 'parallel'] });

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
      for (const way of [injected, sampled, made]) {
        const right = (await responsesOf(way)).filter((response) => response.right);
        expect(right.length).toBeGreaterThan(0);
        for (const { calls, question, tokens, free } of right) {
          // Forced text at the end of a response is not evaluated.
          expect(tokens).toEqual(free.slice(0, tokens.length));
          expect(calls).toEqual(callsOf(rightAnswer(question)));
        }
      }
    });

    it('says the same with injection as without, right or wrong', async () => {
      const [some, others] = [await responsesOf(injected), await responsesOf(sampled)];
      expect(some.map(({ answer }) => answer)).toEqual(others.map(({ answer }) => answer));
      expect(Math.max(...some.map(({ injectedTokens }) => injectedTokens))).toBeGreaterThan(0);
      expect(Math.max(...others.map(({ injectedTokens }) => injectedTokens))).toBe(0);
    });

    it('holds no injected token for less likely than its own choice, where it is right', async () => {
      for (const way of [injected, made]) {
        for (const response of (await responsesOf(way)).filter(({ right }) => right))
          expect(Math.max(...(await likelihoodShortfalls(response)))).toBeLessThan(mostShortfall);
      }
    });

    const responsesOf = remembered(async (way: Way): Promise<readonly Response[]> => {
      const sequences = watchSequences();
      await using chats = await loadModel(file, { llama: await testLlama(), threads: 1, contextSize: 2048 });
      const responses: Response[] = [];
      for (const question of questions) {
        // Made to call, it cannot be right where no tool fits.
        if (way.toolChoice === 'required' && callsOf(rightAnswer(question)).length === 0) continue;
        const stream = chats.chat({ ...requestOf(question), ...way, maxTokens: 300 });
        const message = await stream.message;
        const { injectedTokens } = await stream.usage;
        const tokens = [...(sequences[0]?.contextTokens ?? [])];
        const answer = JSON.stringify(message);
        const own = await freeRunOf(question);
        responses.push({ ...own, question, tokens, answer, calls: callsOf(message), injectedTokens });
      }
      return responses;
    });

    /** The prompt, and what the engine samples greedily after it by itself. */
    const freeRunOf = remembered(async (question: Question): Promise<FreeRun> => {
      const prompt = encode(model.preview(requestOf(question)).prompt) as Token[];
      const llama = await testLlama();
      const engine = await llama.loadModel({ modelPath: file });
      const context = await engine.createContext({ contextSize: 2048, threads: 1 });
      const written: Token[] = [];
      const options = { temperature: 0, yieldEogToken: true }; // one format has such a token after thoughts
      for await (const token of context.getSequence().evaluate([...prompt], options)) {
        written.push(token);
        if (turnEnds.includes(token) || written.length === 300) break;
      }
      await engine.dispose();
      const messages = [...requestOf(question).messages, rightAnswer(question)].slice(-2);
      const parts = conversationParts(learnTemplate(format), { messages, thinking: question.thinking });
      const right = written.join() === encode(parts[1]?.text ?? '').join();
      return { right, promptLength: prompt.length, free: [...prompt, ...written] };
    });

    /** For each token of the response: how much less likely than the likeliest the model holds it, in nats. */
    async function likelihoodShortfalls({ tokens, promptLength }: Response): Promise<readonly number[]> {
      const llama = await testLlama();
      const engine = await llama.loadModel({ modelPath: file });
      const context = await engine.createContext({ contextSize: 2048, threads: 1 });
      const probabilities = { generateNext: { probabilities: true, options: { temperature: 1 } } } as const;
      const output = await context
        .getSequence()
        .controlledEvaluate(
          tokens.map((token, index) => (index < promptLength - 1 ? token : [token, probabilities])),
        );
      await engine.dispose();
      return tokens.slice(promptLength).map((token, index) => {
        const next = output[promptLength - 1 + index]?.next.probabilities ?? new Map<Token, number>();
        return Math.log(Math.max(...next.values())) - Math.log(next.get(token) ?? 0);
      });
    }
  },
);

/** How a question is put. */
interface Way {
  readonly injectForcedText: boolean;
  readonly toolChoice: 'auto' | 'required';
}

/** What the toy writes with nothing in its way; `right`: the perfect answer, token by token. */
interface FreeRun {
  readonly right: boolean;
  readonly promptLength: number;
  /** The prompt's tokens, then those of the answer. */
  readonly free: readonly Token[];
}

interface Response extends FreeRun {
  readonly question: Question;
  /** The message as JSON. */
  readonly answer: string;
  readonly calls: readonly unknown[];
  readonly injectedTokens: number;
  /** What the sequence holds afterwards: prompt and response. */
  readonly tokens: readonly Token[];
}

function remembered<Key extends object, Value>(make: (key: Key) => Promise<Value>) {
  const known = new Map<Key, Promise<Value>>();
  return (key: Key): Promise<Value> => {
    const value = known.get(key) ?? make(key);
    known.set(key, value);
    return value;
  };
}

function requestOf({ messages, tools, thinking }: Question) {
  return { messages: beforeAnswer(messages), tools, thinking };
}

/** What a perfect toy would say first. */
function rightAnswer({ messages }: Question): AssistantMessage {
  const answer = messages.find((message) => message.role === 'assistant');
  if (answer?.role !== 'assistant') throw new Error('a question without an answer');
  return answer;
}

function callsOf({ tool_calls }: Pick<AssistantMessage | ResponseMessage, 'tool_calls'>): readonly unknown[] {
  return (tool_calls ?? []).map(({ function: call }) => [call.name, JSON.parse(call.arguments)]);
}

/** The engine's sequences from now on, in the order in which they are made. */
function watchSequences(): readonly LlamaContextSequence[] {
  vi.restoreAllMocks();
  const sequences: LlamaContextSequence[] = [];
  const original = LlamaContext.prototype.getSequence;
  vi.spyOn(LlamaContext.prototype, 'getSequence').mockImplementation(function (this: LlamaContext, ...given) {
    const sequence = original.apply(this, given);
    sequences.push(sequence);
    return sequence;
  });
  return sequences;
}

function beforeAnswer(messages: readonly Message[]): readonly Message[] {
  return messages.slice(
    0,
    messages.findIndex(({ role }) => role === 'assistant'),
  );
}

it('the toy knows three formats, and no other', async () => {
  await expect(toyModel('pascal' as ToyFormat)).rejects.toBeInstanceOf(UnsupportedOptionError);
});
