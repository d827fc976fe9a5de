/**
 * Every mode of a chat with every state of thinking, over ten formats. Under `required`, a named tool,
 * `none` and a response schema a model with random weights tries to break the promise; under `auto` a
 * writer has calls in mind and draws random tokens for them.
 */

import { isDeepStrictEqual } from 'node:util';
import { Ajv } from 'ajv';
import type { LlamaModel } from 'node-llama-cpp';
import { demoTools } from '../../examples/support/demo-tools.ts';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { interpretedModule } from '../../src/codegen/create-response-parser.ts';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import { IdiolectError } from '../../src/format/errors.ts';
import type { Message, ToolCall } from '../../src/format/messages.ts';
import { readPromptPosition } from '../../src/grammar/read-prompt-position.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { type ChatModel, type ChatOptions, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { llamaTemplate } from './corpora.ts';
import { readVocabulary, type Vocabulary } from './read-vocabulary.ts';
import { restOfTurn, toolCalls } from './rest-of-turn.ts';
import { writeTokens } from './scripted-run.ts';
import { smallVocabulary, tinyModelFile } from './small-vocabulary.ts';
import { testLlama } from './test-models.ts';

/** Ten ways to write calls and thoughts, by file name in llama.cpp's corpus. */
export const matrixTemplates = [
  'Qwen-Qwen3-0.6B',
  'NousResearch-Hermes-3-Llama-3.1-8B-tool_use',
  'Qwen3-Coder',
  'GLM-4.6',
  'mistralai-Mistral-Nemo-Instruct-2407',
  'meta-llama-Llama-3.1-8B-Instruct',
  'deepseek-ai-DeepSeek-V3.1',
  'moonshotai-Kimi-K2',
  'openai-gpt-oss-120b',
  'google-gemma-4-31B-it',
] as const;

export const modes = ['auto', 'required', 'named', 'none', 'schema'] as const;
export const thinkingStates = ['on', 'off', 'forced open', 'closed', 'budget'] as const;

/** One combination. */
export interface Cell {
  readonly mode: (typeof modes)[number];
  readonly thinking: (typeof thinkingStates)[number];
  readonly parallel: boolean;
}

/**
 * `holds`: the promise was kept. `refused`: a typed error before the first token, or a state that this
 * template has no way to be in. `broken`: neither.
 */
export interface CellOutcome {
  readonly outcome: 'holds' | 'refused' | 'broken';
  readonly reason: string;
}

/** The 50 combinations. */
export const cells: readonly Cell[] = thinkingStates.flatMap((thinking) =>
  modes.flatMap((mode) => [true, false].map((parallel) => ({ mode, thinking, parallel }))),
);

/** A format on a tiny model. */
export interface MatrixModel {
  readonly format: ChatFormat;
  readonly chat: ChatModel;
  /** The same file once more, for the writer. */
  readonly plain: LlamaModel;
  readonly vocabulary: Vocabulary;
  dispose(): Promise<void>;
}

/** Opens the model of one of `matrixTemplates`. */
export async function openMatrixModel(name: string): Promise<MatrixModel> {
  const { source } = await llamaTemplate(name);
  const { format } = analyzeTemplate(source);
  const file = await tinyModelFile({
    vocabulary: smallVocabulary,
    markers: format.preservedTokens,
    controls: format.stops,
    chatTemplate: source,
  });
  const llama = await testLlama();
  // Calls can be written also where a template leaves it to the system message to describe the tools.
  const chat = await loadModel(file, { llama, threads: 1, contextSize: 4096, requireTools: false });
  const plain = await llama.loadModel({ modelPath: file, vocabOnly: true });
  const dispose = async (): Promise<void> => {
    await chat.dispose();
    await plain.dispose();
  };
  return { format, chat, plain, vocabulary: readVocabulary(plain, file), dispose };
}

const question: readonly Message[] = [{ role: 'user', content: 'Do something.' }];
/** With which a continued message begins. */
const begun = { text: 'Well, ', json: '{"ok":' };
const budget = 6;
const schema = {
  type: 'object',
  properties: { ok: { type: 'boolean' }, size: { enum: ['small', 'large'] } },
  required: ['ok', 'size'],
  additionalProperties: false,
};

function requestOf({ mode, thinking, parallel }: Cell, seed: number): ChatOptions {
  const thoughts = { role: 'assistant', reasoning_content: 'Hm' } as const;
  const states = {
    on: { messages: question, thinking: true },
    off: { messages: question, thinking: false },
    'forced open': { messages: [...question, { ...thoughts, content: '' }], continueFinalMessage: true },
    closed: {
      messages: [...question, { ...thoughts, content: mode === 'schema' ? begun.json : begun.text }],
      continueFinalMessage: true,
    },
    budget: { messages: question, thinking: true },
  } as const;
  const named = { type: 'function', function: { name: 'get_weather' } } as const;
  const choice = mode === 'schema' ? {} : { tools: demoTools, toolChoice: mode === 'named' ? named : mode };
  const format = { type: 'json_schema', json_schema: { schema } } as const;
  return {
    ...states[thinking],
    ...choice,
    ...(mode === 'schema' ? { responseFormat: format } : {}),
    parallelToolCalls: parallel,
    thinkingBudget: thinking === 'budget' ? budget : 24,
    maxTokens: mode === 'none' ? 60 : parallel ? 400 : 2000,
    temperature: 1,
    seed,
  };
}

/** Tries one combination. */
export async function tryCell(model: MatrixModel, cell: Cell, seed: number): Promise<CellOutcome> {
  const request = requestOf(cell, seed);
  try {
    const { generationPrompt } = model.chat.preview(request);
    const { place } = readPromptPosition(model.format, interpretedModule(model.format), generationPrompt, []);
    if (cell.thinking === 'forced open' && place !== 'reasoning') {
      return { outcome: 'refused', reason: 'no prompt of this template ends inside thoughts' };
    }
    if (cell.mode === 'auto' && cell.thinking === 'closed' && model.format.content.open !== '') {
      return { outcome: 'refused', reason: 'no call can be written inside content that has an opener' };
    }
    const broken =
      cell.mode === 'auto'
        ? writeCalls(model, request, generationPrompt, seed)
        : await sampleOnce(model, cell, request);
    return { outcome: broken === null ? 'holds' : 'broken', reason: broken ?? '' };
  } catch (error) {
    const typed = error instanceof IdiolectError && error.code !== 'decoding' && error.code !== 'grammar';
    return { outcome: typed ? 'refused' : 'broken', reason: String(error) };
  }
}

/** What is wrong with a sampled response; `null` when nothing is. */
async function sampleOnce({ chat }: MatrixModel, cell: Cell, request: ChatOptions): Promise<string | null> {
  const stream = chat.chat(request);
  let thoughts = 0;
  let cut = false;
  for await (const event of stream) {
    if (event.type === 'reasoning-delta' && event.start >= 0) thoughts += 1;
    if (event.type === 'finish') cut = event.reason === 'length';
  }
  const message = await stream.message;
  if (cell.thinking === 'budget' && thoughts > budget + 1) return `${thoughts} pieces of thought`;
  if (cell.mode === 'none') return message.tool_calls === undefined ? null : 'a call under none';
  if (cell.mode === 'schema') return wrongContent(message);
  return wrongCalls(message, cell, cut);
}

const ajv = new Ajv({ strict: false });
const validateContent = ajv.compile(schema);
const validators = new Map(
  demoTools.map(({ function: { name, parameters } }) => [name, ajv.compile(parameters ?? true)]),
);

function wrongContent({ content }: ResponseMessage): string | null {
  return validateContent(JSON.parse(content ?? '')) ? null : `content ${content}`;
}

/** A response that was cut short may end inside a call, but not without a whole one before. */
function wrongCalls(message: ResponseMessage, cell: Cell, cut: boolean): string | null {
  const calls = message.tool_calls ?? [];
  if (calls.length === 0) return `no call: ${JSON.stringify(message)}`;
  if (!cell.parallel && calls.length > 1) return `${calls.length} calls`;
  if (!(cut && cell.parallel) && message.malformed !== undefined) return JSON.stringify(message.malformed);
  if (cell.mode === 'named' && calls.some((call) => call.function.name !== 'get_weather'))
    return 'other tool';
  const wrong = calls.find((call) => !isValid(call));
  return wrong === undefined ? null : `invalid: ${JSON.stringify(wrong.function)}`;
}

function isValid({ function: called }: ToolCall): boolean {
  return validators.get(called.name)?.(JSON.parse(called.arguments)) === true;
}

const intended = [
  ['get_weather', { city: 'Bern', unit: 'celsius' }],
  ['convert_money', { amount: 5, to: 'CHF', round: true }],
] as const;

/** What is wrong with two calls written under `auto` with random token boundaries. */
function writeCalls(
  { format, plain: model, vocabulary }: MatrixModel,
  request: ChatOptions,
  generationPrompt: string,
  seed: number,
): string | null {
  const both = request.parallelToolCalls === true && format.calls?.parallel === true;
  const calls = toolCalls(both ? intended : intended.slice(0, 1));
  const turn = { role: 'assistant', content: '', reasoning_content: 'Hm, let me see.' } as const;
  const text = restOfTurn(format, generationPrompt, { ...turn, tool_calls: calls }, demoTools);
  let state = seed;
  const choose = (count: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >> 8) % Math.max(1, count);
  };
  const { parallelToolCalls = true } = request;
  const options = { tools: demoTools, toolChoice: 'auto', parallelToolCalls, generationPrompt } as const;
  const { message } = writeTokens({
    ...{ model, vocabulary, format, text, choose },
    request: options,
    special: true,
    inject: true,
  });
  const written = (message.tool_calls ?? []).map(({ function: called }) => [
    called.name,
    JSON.parse(called.arguments),
  ]);
  // Some templates sort the arguments: their order is not looked at.
  return isDeepStrictEqual(written, intended.slice(0, both ? 2 : 1))
    ? null
    : `${JSON.stringify(written)} of ${text}`;
}
