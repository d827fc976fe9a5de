/** A result that names no call is refused where the prompt would show it, and nowhere else. */
import { describe, expect, it } from 'vitest';
import { tinyModelFile } from '../../examples/support/small-models.ts';
import { MessageError } from '../../src/format/errors.ts';
import type { Message, ToolMessage } from '../../src/format/messages.ts';
import { finish, type Steps } from '../../src/language/expression/steps.ts';
import { checkResultIds } from '../../src/runtime/chat/result-ids.ts';
import { orderResults } from '../../src/runtime/chat/result-order.ts';
import { loadModel } from '../../src/runtime/node-llama-cpp/index.ts';
import { connectServer } from '../../src/servers/index.ts';
import { renderPrompt, renderPromptSteps } from '../../src/template/prompt/render-prompt.ts';
import { allTemplates, llamaTemplate } from '../support/corpora.ts';
import { serveModel } from '../support/model-server.ts';
import { sampled } from '../support/sample.ts';
import { testLlama } from '../support/test-models.ts';

const templates = sampled(await allTemplates(), 5);

const vocabulary = 'llama-spm';
const options = { llama: await testLlama(), threads: 1, contextSize: 2048 } as const;

const own = 'ownCall01';
const other = 'strange99';
const parameters = { type: 'object', properties: { city: { type: 'string' } } } as const;
const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }] as const;
const call = {
  id: own,
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Bern"}' },
} as const;

/** A conversation in which a result has this id, or none. */
function withResult(id: string | undefined): readonly Message[] {
  const result: ToolMessage = {
    role: 'tool',
    content: 'sun',
    ...(id === undefined ? {} : { tool_call_id: id }),
  };
  return [
    { role: 'user', content: 'How is the weather in Bern?' },
    { role: 'assistant', content: null, tool_calls: [call] },
    result,
  ];
}

/** What comes of a conversation: the path of what is refused, or the lines of the report. */
function judge(source: string, id: string | undefined, policy: 'strict' | 'degrade') {
  function* render(messages: readonly Message[]): Steps<{ readonly text: string }> {
    return { text: yield* renderPromptSteps(source, { messages, tools }) };
  }
  try {
    return finish(checkResultIds({ messages: withResult(id), policy }, render)).map(({ reason }) => reason);
  } catch (error) {
    if (error instanceof MessageError) return error.path;
    throw error;
  }
}

/** Whether the prompt shows the id that a result has; `null` where the template refuses the conversation. */
function shows(source: string, id: string): boolean | null {
  try {
    return renderPrompt(source, { messages: withResult(id), tools }).split(id).length > (id === own ? 2 : 1);
  } catch {
    return null;
  }
}

describe('a result', () => {
  it.each(templates)(
    'of a call is never refused, and one of none where its id is shown ($id)',
    ({ source }) => {
      expect(judge(source, own, 'strict')).toEqual([]);
      if (shows(source, other) !== true || shows(source, own) === null) return;
      const place = 'messages[2].tool_call_id';
      expect(judge(source, other, 'strict')).toBe(place);
      expect(judge(source, undefined, 'strict')).toBe(place);
      const told = `${place}: no call before it has the id "${other}", and the template reads it`;
      expect(judge(source, other, 'degrade')).toEqual([told]);
      expect(judge(source, undefined, 'degrade')).toEqual([
        `${place}: it is missing, and the template reads it`,
      ]);
    },
  );

  it('has an id that some templates show', async () => {
    const shown = (await allTemplates()).filter(({ source }) => shows(source, other) === true);
    expect(shown.length).toBeGreaterThan(3);
  });
});

describe('results in another order than their calls', () => {
  const both = [
    call,
    { ...call, id: 'nextCall2', function: { ...call.function, arguments: '{"city":"Rome"}' } },
  ];
  const sun: ToolMessage = { role: 'tool', content: 'sun 21', tool_call_id: own };
  const rain: ToolMessage = { role: 'tool', content: 'rain 9', tool_call_id: 'nextCall2' };
  const asked = (...results: readonly ToolMessage[]): readonly Message[] => [
    { role: 'user', content: 'How is the weather in Bern, and in Rome?' },
    { role: 'assistant', content: null, tool_calls: both },
    ...results,
  ];
  const textOf = (source: string, messages: readonly Message[]): string | null => {
    try {
      return renderPrompt(source, { messages, tools });
    } catch {
      return null;
    }
  };
  const order = (source: string, messages: readonly Message[], policy: 'strict' | 'degrade' = 'strict') =>
    finish(
      orderResults({ messages, policy }, function* (rendered) {
        return { text: yield* renderPromptSteps(source, { messages: rendered, tools }) };
      }),
    );

  it.each(templates)('are put into it where nothing shows whose they are ($id)', ({ source }) => {
    const inOrder = textOf(source, asked(sun, rain));
    expect(order(source, asked(sun, rain))).toEqual({ messages: asked(sun, rain), issues: [] });
    const { messages, issues } = order(source, asked(rain, sun));
    const isShown =
      textOf(source, asked({ ...sun, tool_call_id: rain.tool_call_id ?? '' })) !== textOf(source, asked(sun));
    // A template may put them into order by itself.
    const isOrdered = textOf(source, asked(rain, sun)) === inOrder;
    const told = isOrdered ? [] : ['messages[1]: its results are given in the order of its calls'];
    if (inOrder === null || isShown) expect([messages, issues]).toEqual([asked(rain, sun), []]);
    else {
      expect(textOf(source, messages)).toBe(inOrder);
      expect(issues.map(({ reason }) => reason)).toEqual(told);
    }
  });

  it('are refused there if the first call has none, or that is reported', async () => {
    const { source } = await llamaTemplate('Qwen-Qwen3-0.6B');
    expect(() => order(source, asked(rain))).toThrow(
      expect.objectContaining({ code: 'message', path: 'messages[1].tool_calls[0]' }),
    );
    expect(order(source, asked(rain), 'degrade').issues).toMatchObject([
      { effect: 'noted', reason: expect.stringContaining('no result answers it') },
    ]);
    expect(order(source, asked(sun))).toEqual({ messages: asked(sun), issues: [] });
    const { source: shown } = await llamaTemplate('moonshotai-Kimi-K2');
    expect(order(shown, asked(rain))).toEqual({ messages: asked(rain), issues: [] });
  });

  it('are put into it from every order of three, and left as they are next to a result of no call', async () => {
    const { source } = await llamaTemplate('Qwen-Qwen3-0.6B');
    const third = { ...call, id: 'thirdCall', function: { ...call.function, arguments: '{"city":"Oslo"}' } };
    const snow: ToolMessage = { role: 'tool', content: 'snow', tool_call_id: 'thirdCall' };
    const three = (...results: readonly ToolMessage[]): readonly Message[] => [
      { role: 'user', content: 'How is the weather?' },
      { role: 'assistant', content: null, tool_calls: [...both, third] },
      ...results,
      { role: 'user', content: 'Well?' },
    ];
    const orders = [
      [sun, snow, rain],
      [rain, sun, snow],
      [rain, snow, sun],
      [snow, sun, rain],
      [snow, rain, sun],
    ];
    for (const each of orders) expect(order(source, three(...each)).messages).toEqual(three(sun, rain, snow));
    for (const id of ['strange99', undefined]) {
      const { tool_call_id: _, ...bare } = snow;
      const stray: ToolMessage = id === undefined ? bare : { ...bare, tool_call_id: id };
      expect(order(source, three(rain, sun, stray))).toEqual({
        messages: three(rain, sun, stray),
        issues: [],
      });
    }
    const twice = [...three(snow, rain, sun), ...three(sun, rain, snow), ...three(rain, snow, sun)];
    const sorted = three(sun, rain, snow);
    expect(order(source, twice).messages).toEqual([...sorted, ...sorted, ...sorted]);
  });

  it('cost a few renders, however many messages have them', async () => {
    const { source } = await llamaTemplate('Qwen-Qwen3-0.6B');
    let renders = 0;
    const many = Array.from({ length: 300 }, () => asked(rain, sun)).flat();
    const ordering = orderResults({ messages: many }, function* (rendered) {
      renders += 1;
      return { text: yield* renderPromptSteps(source, { messages: rendered, tools }) };
    });
    const { messages } = finish(ordering);
    expect(messages).toEqual(Array.from({ length: 300 }, () => asked(sun, rain)).flat());
    expect(renders).toBeLessThan(10);
  });

  it('are so in the prompt of a chat', async () => {
    const { source: chatTemplate } = await llamaTemplate('Qwen-Qwen3-0.6B');
    const model = await loadModel(await tinyModelFile({ vocabulary, chatTemplate }), options);
    const { prompt } = model.preview({ messages: asked(rain, sun), tools });
    expect(prompt).toBe(model.preview({ messages: asked(sun, rain), tools }).prompt);
    await model.dispose();
  });
});

describe('a chat', () => {
  const strict = { messages: withResult(undefined), tools, maxTokens: 1 } as const;
  const degraded = { ...strict, policy: 'degrade' } as const;
  const refusal = { code: 'message', path: 'messages[2].tool_call_id' };
  const line = expect.objectContaining({ keyword: 'messages', effect: 'noted' });
  const open = async (name: string): Promise<string> => {
    const { source: chatTemplate } = await llamaTemplate(name);
    return tinyModelFile({ vocabulary, chatTemplate });
  };

  it('in this process refuses such a result, or reports it', async () => {
    const model = await loadModel(await open('moonshotai-Kimi-K2'), options);
    await expect(model.chat(strict).message).rejects.toMatchObject(refusal);
    expect(await model.chat(degraded).report).toEqual([line]);
    expect((await model.chat(degraded).message).role).toBe('assistant');
    await model.dispose();
  });

  it('with a server does the same', async () => {
    const server = await serveModel(await open('moonshotai-Kimi-K2'), 'llama-server');
    const model = await connectServer({ kind: 'llama-server', url: server.url });
    await expect(model.chat(strict).message).rejects.toMatchObject(refusal);
    expect(await model.chat(degraded).report).toEqual([line]);
    await server.close();
  });

  it('takes it where the template counts results by their order', async () => {
    const model = await loadModel(await open('Qwen-Qwen3-0.6B'), options);
    expect(await model.chat(strict).report).toEqual([]);
    await model.dispose();
  });
});
