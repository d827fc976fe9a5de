import { describe, expect, test } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import { buildGrammar } from '../../src/grammar/build-grammar.ts';
import type { GrammarOptions } from '../../src/grammar/grammar-options.ts';
import type { ChatOptions } from '../../src/runtime/chat/chat-options.ts';
import {
  checkChatOptions,
  checkPrepareOptions,
  checkRunOptions,
} from '../../src/runtime/chat/check-chat-options.ts';
import { checkLoadOptions } from '../../src/runtime/node-llama-cpp/check-options.ts';
import {
  type LoadModelOptions,
  loadModel,
  type RunToolsOptions,
  runTools,
} from '../../src/runtime/node-llama-cpp/index.ts';
import { chatTemplate, openLlamaTiny } from '../support/small-chats.ts';

const messages = [{ role: 'user', content: 'Hello' }] as const;

describe('options of a chat', () => {
  test.each([
    { maxTokens: Number.NaN },
    { maxTokens: -1 },
    { maxTokens: 1.5 },
    { thinkingBudget: -1 },
    { temperature: -1 },
    { temperature: Number.POSITIVE_INFINITY },
    { topP: 9 },
    { minP: '0.1' },
    { seed: -1.5 },
    { stop: [''] },
    { stop: 'END' },
    { messages: 'Hello' },
    { messages: undefined },
    { policy: 'Strict' },
    { argumentOrder: 'x' },
    { reasoningFormat: 'x' },
    { thinking: 'yes' },
    { messages: null },
    { parallelToolCalls: 'no' },
    { templateVariables: 5 },
    { continueFinalMessage: 1 },
    { signal: {} },
    { responseFormat: 'json_object' },
    { toolChoice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{}] } } },
    { max_completion_tokens: 5 },
  ])('%j is refused', (wrong) => {
    const options = { messages, ...wrong } as unknown as ChatOptions;
    expect(() => checkChatOptions(options)).toThrow(UnsupportedOptionError);
    expect(() => checkChatOptions(options)).toThrow(
      new RegExp(`^${Object.keys(wrong)[0]}( must be .*, got |: unknown option)`),
    );
  });

  const circular: Record<string, unknown> = {};
  circular.itself = circular;
  const throwing = {
    get value() {
      throw new Error('gone');
    },
  };

  test.each<[string, Record<string, unknown>]>([
    ['what is in itself', circular],
    ['a BigInt', { value: 10n }],
    ['a getter that throws', throwing],
  ])('variables of the template that JSON cannot hold are refused: %s', (_, templateVariables) => {
    expect(() => checkChatOptions({ messages, templateVariables })).toThrow(
      'templateVariables must be an object that can be written as JSON, got an object',
    );
  });

  test.each([checkChatOptions, checkPrepareOptions, checkRunOptions])(
    'variables that the prompt is rendered with are refused by name: %o',
    (check) => {
      const options = { messages, tools: [], templateVariables: { messages: [] } };
      expect(() => check(options)).toThrow('templateVariables.messages: is set by what is rendered');
      expect(() => check(options)).toThrow(UnsupportedOptionError);
    },
  );

  test('the usual ones pass', () => {
    const options = {
      maxTokens: 1,
      thinkingBudget: 0,
      temperature: 0.7,
      topK: 40,
      topP: 1,
      minP: 0,
      seed: 3,
    };
    expect(() => checkChatOptions({ messages, ...options, stop: ['END'] })).not.toThrow();
    const { signal } = new AbortController();
    expect(() =>
      checkChatOptions({ messages, signal, thinking: false, templateVariables: {} }),
    ).not.toThrow();
    expect(() => checkChatOptions({ messages, maxTokens: Number.POSITIVE_INFINITY })).not.toThrow();
  });
});

describe('names of options', () => {
  test.each([
    ['max_tokens', 'maxTokens'],
    ['tool_choice', 'toolChoice'],
    ['response_format', 'responseFormat'],
    ['top_p', 'topP'],
    ['tool', 'tools'],
    ['temprature', 'temperature'],
    ['stops', 'stop'],
    ['sead', 'seed'],
  ])('%s of another API is %s here', (other, own) => {
    const options = { messages, [other]: 1 };
    expect(() => checkChatOptions(options)).toThrow(`${other}: unknown option; did you mean ${own}?`);
  });

  test('a name that is as near to several is answered with all', () => {
    const options: ChatOptions = Object.assign({ messages }, { topA: 1 });
    expect(() => checkChatOptions(options)).toThrow(/^topA: unknown option; the options are messages, /);
  });

  test('a name that is like none is answered with all', () => {
    const options: ChatOptions = Object.assign({ messages }, { warmth: 1 });
    expect(() => checkChatOptions(options)).toThrow(/^warmth: .*messages, .*temperature/);
  });

  test('texts are told from numbers', () => {
    const options = { messages, maxTokens: '5' } as unknown as ChatOptions;
    expect(() => checkChatOptions(options)).toThrow('got "5"');
  });
});

describe('steps of a run', () => {
  test.each([0, -1, 1.5, Number.NaN])('%j are refused', async (maxSteps) => {
    const chat = () => {
      throw new TypeError('nothing is to be asked of the model');
    };
    const run = runTools({ chat }, { messages, tools: [], maxSteps });
    await expect(run.messages).rejects.toBeInstanceOf(UnsupportedOptionError);
  });

  test('messages are asked for in the run, not at its start', async () => {
    const chat = () => {
      throw new TypeError('nothing is to be asked of the model');
    };
    for (const options of [{ tools: [] }, { tools: [], messages: null }, undefined]) {
      const run = runTools({ chat }, options as unknown as RunToolsOptions);
      await expect(run.messages).rejects.toBeInstanceOf(UnsupportedOptionError);
    }
  });

  test('the usual ones pass', () => {
    expect(() => checkRunOptions({ messages, tools: [], maxSteps: 1 })).not.toThrow();
    expect(() => checkRunOptions({ messages, tools: [], maxSteps: Number.POSITIVE_INFINITY })).not.toThrow();
  });
});

describe('null', () => {
  test.each([
    'tools',
    'toolChoice',
    'parallelToolCalls',
    'responseFormat',
    'policy',
    'thinking',
    'thinkingBudget',
    'templateVariables',
    'maxTokens',
    'stop',
    'signal',
    'temperature',
    'seed',
  ])('is taken as absent: %s', (option) => {
    expect(checkChatOptions({ messages, [option]: null })).toEqual({ messages });
    expect(checkRunOptions({ messages, tools: [], maxSteps: 2, [option]: null })).not.toHaveProperty(option);
  });

  test('counts for what a sampler, a grammar and a model are given', async () => {
    const absent = {
      temperature: null,
      topK: null,
      maxTokens: null,
      signal: null,
      toolChoice: null,
      stop: null,
    };
    const model = await openLlamaTiny({ contextSize: null, sequences: null } as unknown as {
      contextSize: number;
    });
    const asked = { messages, maxTokens: 8 };
    const nulls = { ...absent, ...asked } as unknown as ChatOptions;
    expect(await model.chat(nulls).message).toEqual(await model.chat(asked).message);
    expect(model.preview(nulls).prompt).toBe(model.preview(asked).prompt);
    await model.dispose();
    const { format } = analyzeTemplate(chatTemplate);
    const options = { tools: [{ name: 'f' }], toolChoice: 'required' } as const;
    const policy = { policy: null, parallelToolCalls: null } as unknown as GrammarOptions;
    expect(buildGrammar(format, { ...options, ...policy }).grammar).toBe(
      buildGrammar(format, options).grammar,
    );
  });
});

test('a chat with nothing is refused as it is read', async () => {
  await using model = await openLlamaTiny({});
  for (const nothing of [undefined, null])
    await expect(model.chat(nothing as unknown as ChatOptions).message).rejects.toThrow(
      /^options must be an object, got /,
    );
});

describe('options of a model', () => {
  test.each([
    { contextSize: 0 },
    { contextSize: -5 },
    { contextSize: Number.NaN },
    { contextSize: Number.POSITIVE_INFINITY },
    { sequences: 0 },
    { sequences: 1.5 },
    { sequences: 257 },
    { threads: -1 },
    { gpu: 'metal9' },
    { chatTemplate: 5 },
    { chatTemplate: '' },
    { chatTemplate: 'template.jinja' },
    { modules: 5 },
    { modules: {} },
    { modules: [null] },
    { modules: [{ default: {} }] },
    { requireTools: 'no' },
    { llama: {} },
    { context_size: 4096 },
  ])('%j is refused before the file is looked at', async (wrong) => {
    const refused = loadModel('no such file', wrong as unknown as LoadModelOptions);
    await expect(refused).rejects.toBeInstanceOf(UnsupportedOptionError);
    await expect(refused).rejects.toThrow(
      new RegExp(`^${Object.keys(wrong)[0]}( must be .*, got |: unknown option)`),
    );
  });

  test('the usual ones pass', () => {
    expect(() => checkLoadOptions({})).not.toThrow();
    expect(() => checkLoadOptions({ modules: new Map() })).not.toThrow();
    expect(() => checkLoadOptions({ modules: [], gpu: false })).not.toThrow();
    expect(() => checkLoadOptions({ contextSize: 4096, sequences: 4, threads: 0 })).not.toThrow();
  });
});
