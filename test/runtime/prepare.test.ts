/** What `loadModel` does ahead of the first request changes no answer, and fails for nobody. */
import { createHash } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { responseModule } from '../../generated/qwen-qwen3-0.6b/index.ts';
import { rememberTools } from '../../src/format/compiled-tools.ts';
import {
  SchemaError,
  TemplateError,
  ToolListError,
  UnsupportedOptionError,
} from '../../src/format/errors.ts';
import { compileAhead } from '../../src/generate/emit-tools.ts';
import { compileArgumentsSteps } from '../../src/json-schema/compile-arguments.ts';
import { createMatcher } from '../../src/language/matcher/matcher.ts';
import { indexTokens } from '../../src/language/matcher/token-index.ts';
import { type LoadModelOptions, loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { parseTemplate } from '../../src/template/template.ts';
import { normalizeTools } from '../../src/tools/tools.ts';
import { chatTemplate, vocabulary } from '../support/small-chats.ts';
import { tinyModelFile } from '../support/small-vocabulary.ts';
import { testLlama } from '../support/test-models.ts';

vi.mock('../../src/language/matcher/token-index.ts', { spy: true });
vi.mock('../../src/template/template.ts', { spy: true });
vi.mock('../../src/json-schema/compile-arguments.ts', { spy: true });
vi.mock('../../src/language/matcher/matcher.ts', { spy: true });

const messages = [{ role: 'user', content: 'How warm is it in Bern?' }] as const;
const tool = { name: 'look_up', inputSchema: { type: 'object', properties: { word: { enum: ['a', 'b'] } } } };
const request = { messages, tools: [tool], toolChoice: 'required', thinking: false, maxTokens: 40 } as const;

async function open(options: LoadModelOptions) {
  const controls = ['<|im_start|>', '<|im_end|>'];
  const file = await tinyModelFile({ vocabulary, markers: ['<tool_call>'], controls, chatTemplate });
  return loadModel(file, { llama: await testLlama(), threads: 1, contextSize: 1024, ...options });
}

describe('a model with a generated module', () => {
  it('has read its template and sorted its vocabulary when it is loaded, once', async () => {
    const model = await open({ modules: [responseModule] });
    const parsed = vi.mocked(parseTemplate).mock.calls.length;
    expect(indexTokens).toHaveBeenCalledTimes(1);
    const { tool_calls: calls } = await model.chat(request).message;
    expect(calls).toHaveLength(1);
    expect(indexTokens).toHaveBeenCalledTimes(1);
    expect(parseTemplate).toHaveBeenCalledTimes(parsed);
    await model.dispose();
  });

  it('answers as one that did nothing ahead', async () => {
    const ahead = await open({ modules: [responseModule] });
    const plain = await open({ modules: [responseModule], requireTools: false });
    expect(await ahead.chat(request).message).toEqual(await plain.chat(request).message);
    await Promise.all([ahead.dispose(), plain.dispose()]);
  });

  it('whose template refuses everything is loaded, and refuses the chat', async () => {
    const source = "{{ raise_exception('not today') }}";
    const templateSha256 = createHash('sha256').update(source).digest('hex');
    const format = { ...responseModule.format, templateSha256 };
    const model = await open({
      chatTemplate: source,
      modules: [{ ...responseModule, templateSha256, format }],
    });
    await expect(model.chat({ messages }).message).rejects.toBeInstanceOf(TemplateError);
    await model.dispose();
  });
});

/** Tools with schemas of their own, which nothing has compiled yet. */
function newTools(count: number, maxLength: number) {
  return Array.from({ length: count }, (_, index) => ({
    name: `tool_${maxLength}_${index}`,
    inputSchema: { type: 'object', properties: { text: { type: 'string', maxLength: maxLength + index } } },
  }));
}

describe('tools that are prepared', () => {
  it.each([5, 'tools', true])('are a list, and not %j', async (tools: unknown) => {
    const model = await open({ modules: [responseModule] });
    const options: object = { tools };
    await expect(model.prepare(options)).rejects.toBeInstanceOf(ToolListError);
    await model.dispose();
  });

  const chats = [
    { toolChoice: 'required' },
    { toolChoice: 'required', thinking: false },
    { toolChoice: 'auto', thinking: true },
  ] as const;

  it('are compiled, and their grammars made, before the first chat', async () => {
    const model = await open({ modules: [responseModule] });
    const tools = newTools(3, 100);
    await model.prepare({ tools, messages: [{ role: 'system', content: 'Be brief.' }] });
    vi.mocked(compileArgumentsSteps).mockClear();
    vi.mocked(createMatcher).mockClear();
    for (const chat of chats) await model.chat({ messages, tools, ...chat, maxTokens: 3 }).message;
    expect(createMatcher).not.toHaveBeenCalled();
    const one = { type: 'function', function: { name: 'tool_100_1' } } as const;
    await model.chat({ messages, tools, toolChoice: one, maxTokens: 3 }).message;
    expect(compileArgumentsSteps).not.toHaveBeenCalled();
    await model.dispose();
  });

  it('are those that were compiled ahead for the template, without asking', async () => {
    const tools = normalizeTools(newTools(3, 200));
    rememberTools(tools, compileAhead(responseModule.format, tools, 'strict'));
    vi.mocked(compileArgumentsSteps).mockClear();
    const model = await open({ modules: [responseModule] });
    vi.mocked(createMatcher).mockClear();
    for (const chat of chats) await model.chat({ messages, tools, ...chat, maxTokens: 3 }).message;
    expect(compileArgumentsSteps).not.toHaveBeenCalled();
    expect(createMatcher).not.toHaveBeenCalled();
    await model.dispose();
  });

  it('change no answer', async () => {
    const tools = newTools(2, 300);
    const asked = { messages, tools, toolChoice: 'required', thinking: false, maxTokens: 60 } as const;
    const [prepared, plain] = [await open({}), await open({})];
    await prepared.prepare({ tools });
    expect(await prepared.chat(asked).message).toEqual(await plain.chat(asked).message);
    await Promise.all([prepared.dispose(), plain.dispose()]);
  });

  it('are refused as a chat would refuse them', async () => {
    const model = await open({ modules: [responseModule] });
    const tools = [
      { name: 'never', inputSchema: { type: 'object', properties: { a: { enum: [] } }, required: ['a'] } },
    ];
    await expect(model.prepare({ tools })).rejects.toBeInstanceOf(SchemaError);
    await expect(model.chat({ messages, tools }).message).rejects.toBeInstanceOf(SchemaError);
    const unknown: object = { tools, max_tokens: 3 };
    await expect(model.prepare(unknown)).rejects.toBeInstanceOf(UnsupportedOptionError);
    await model.dispose();
  });
});

describe('while tools are compiled', () => {
  it('a signal that is aborted ends it between two of them', async () => {
    const model = await open({ modules: [responseModule] });
    const tools = newTools(5, 400);
    for (const way of ['chat', 'prepare'] as const) {
      const controller = new AbortController();
      const compile = vi.mocked(compileArgumentsSteps);
      compile.mockClear();
      compile.mockImplementationOnce(() => {
        controller.abort(new RangeError('enough'));
        throw new SchemaError([]);
      });
      const { signal } = controller;
      const asked =
        way === 'chat' ? model.chat({ messages, tools, signal }).message : model.prepare({ tools, signal });
      await expect(asked).rejects.toThrow('enough');
      expect(compile).toHaveBeenCalledTimes(1);
    }
    await model.dispose();
  });

  it('another chat with the same ones compiles none of them again, and goes on where one is left', async () => {
    const model = await open({ modules: [responseModule] });
    // A clock on which every tool takes long, so that the two take turns.
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 1000;
      return now;
    });
    for (const abort of [false, true]) {
      const tools = newTools(5, abort ? 600 : 700);
      const controller = new AbortController();
      vi.mocked(compileArgumentsSteps).mockClear();
      const first = model.chat({ ...request, tools, signal: controller.signal }).message;
      const second = model.chat({ ...request, tools }).message;
      const failure = first.catch((error: unknown) => error);
      if (abort) setImmediate(() => controller.abort('left'));
      const { tool_calls: calls } = await second;
      if (abort) expect(await failure).toBe('left');
      else expect((await first).tool_calls).toEqual(calls);
      expect(compileArgumentsSteps).toHaveBeenCalledTimes(tools.length);
    }
    clock.mockRestore();
    await model.dispose();
  });

  it('others have their turn where it takes long', async () => {
    const model = await open({ modules: [responseModule] });
    const tools = newTools(5, 500);
    const controller = new AbortController();
    // A clock on which every tool takes long, and somebody else who waits to be let in.
    let now = 0;
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => {
      now += 1000;
      return now;
    });
    vi.mocked(compileArgumentsSteps).mockClear();
    const asked = model.prepare({ tools, signal: controller.signal });
    setImmediate(() => controller.abort(new RangeError('let in')));
    await expect(asked).rejects.toThrow('let in');
    expect(vi.mocked(compileArgumentsSteps).mock.calls.length).toBeLessThan(tools.length);
    clock.mockRestore();
    await model.dispose();
  });
});
