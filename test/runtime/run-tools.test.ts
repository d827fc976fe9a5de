/** Runs with tools: on a model with a script, and on one made of messages. */
import { describe, expect, expectTypeOf, it, vi } from 'vitest';
import { z } from 'zod';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import type { JsonObject, Message, ToolCall } from '../../src/format/messages.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { GeneratedChat } from '../../src/runtime/chat/chat-stream.ts';
import { type ChatOptions, runTools } from '../../src/runtime/node-llama-cpp/index.ts';
import { defineTool, type ToolCallOf, type ToolList } from '../../src/tools/tools.ts';
import { openKeyedChat, openScriptedChat } from '../support/small-chats.ts';

const messages: readonly Message[] = [{ role: 'user', content: 'How warm is it in Bern?' }];

const weather = defineTool({
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: z.strictObject({ city: z.string(), unit: z.enum(['celsius', 'fahrenheit']) }),
  execute: ({ city, unit }) => ({ city, unit, degrees: 21 }),
});

const noReport = async () => [];

/** A model that gives these messages one after the other, and keeps what it was asked. */
function fakeModel(...answers: readonly (Partial<ResponseMessage> | Error)[]) {
  const asked: ChatOptions[] = [];
  return {
    asked,
    chat(options: ChatOptions): GeneratedChat {
      asked.push(options);
      const answer = answers[asked.length - 1] ?? { content: 'Done.' };
      const generate = async function* () {
        if (answer instanceof Error) throw answer;
        options.signal?.throwIfAborted();
        yield { type: 'text-delta', id: 'text-0', delta: String(answer.content), start: 0, end: 0 } as const;
        return { role: 'assistant', content: null, ...answer } as ResponseMessage;
      };
      return new GeneratedChat(generate(), () => ({ role: 'assistant', content: null }), noReport);
    },
  };
}

function calling(...calls: readonly (readonly [string, object])[]): Partial<ResponseMessage> {
  const tool_calls = calls.map(
    ([name, input], index): ToolCall => ({
      id: `call0000${index + 1}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(input) },
    }),
  );
  return { tool_calls };
}

async function collect<Event>(stream: AsyncIterable<Event>): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

const bern = { city: 'Bern', unit: 'celsius' } as const;
const told = '{"city":"Bern","unit":"celsius","degrees":21}';

describe('a run', () => {
  it('under degrade, says of a call what its grammar could not enforce', async () => {
    const parameters = {
      type: 'object',
      properties: { tags: { type: 'string', pattern: '^(.)\\1$' } },
      required: ['tags'],
      additionalProperties: false,
    } as const;
    const request = { messages, tools: [{ name: 'store', parameters }], policy: 'degrade' } as const;
    const text = '\n{"name": "store", "arguments": {"tags": "ab"}}\n';
    const model = await openScriptedChat([
      { request, pieces: ['<tool_call>', text, '</tool_call>', '<|im_end|>'] },
    ]);
    const events = await collect(model.chat(request));
    await model.dispose();
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'malformed', reason: expect.stringMatching(/^\/tags .*pattern/) }),
    );
  });

  it('under degrade, tells the model of arguments that are not valid, and carries nothing out', async () => {
    const execute = vi.fn(() => 'stored');
    const parameters = {
      type: 'object',
      properties: { tags: { type: 'string', pattern: '^(.)\\1$' } },
    } as const;
    const tool = defineTool({ name: 'store', parameters, execute });
    const model = fakeModel(calling(['store', { tags: 'ab' }]), calling(['store', { tags: 'aa' }]));
    const events = await collect(runTools(model, { messages, tools: [tool], policy: 'degrade' }));
    const outcomes = events.filter(({ type }) => type === 'tool-error' || type === 'tool-result');
    expect(outcomes).toMatchObject([
      {
        type: 'tool-error',
        content: expect.stringMatching(/the arguments are not valid: \/tags .*pattern/),
      },
      { type: 'tool-result', content: 'stored' },
    ]);
    expect(execute).toHaveBeenCalledTimes(1);
  });

  it('goes through a real engine and template, and comes back with the answer', async () => {
    const request = { messages, tools: [weather] };
    const model = await openKeyedChat([
      {
        after: '<|im_start|>user\nHow warm is it in Bern?',
        pieces: [
          '<tool_call>',
          '\n{"name": "get_weather", "arguments": {"city": "Bern", "unit": "celsius"}}\n',
          '</tool_call>',
          '<|im_end|>',
        ],
      },
      {
        after: `<|im_start|>user\n<tool_response>\n${told}\n</tool_response>`,
        pieces: ['It is 21 degrees.', '<|im_end|>'],
      },
    ]);
    const run = model.runTools(request);
    const events = await collect(run);
    const all = await run.messages;
    const { content } = await run.message;
    await model.dispose();
    expect(content).toBe('It is 21 degrees.');
    expect(all.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    expect(all[2]).toEqual({ role: 'tool', tool_call_id: 'call00001', name: 'get_weather', content: told });
    expect(events.filter(({ type }) => type === 'step-start')).toHaveLength(2);
    expect(events.find((event) => event.type === 'tool-result')).toMatchObject({
      toolCallId: 'call00001',
      output: { degrees: 21 },
      content: told,
    });
    expect(events.at(-1)).toMatchObject({ type: 'run-finish', steps: 2, reason: 'answer' });
  });

  it('carries out parallel calls at the same time, and tells the results in the order of the calls', async () => {
    const order: string[] = [];
    const waiting = new Map<string, () => void>();
    const model = fakeModel(calling(['wait', { for: 'a' }], ['wait', { for: 'b' }]));
    const wait = defineTool({
      name: 'wait',
      parameters: z.object({ for: z.string() }),
      // Each waits for the other to have begun; the second one ends first.
      execute: async ({ for: key }) => {
        await new Promise<void>((resolve) => {
          waiting.set(key, resolve);
          if (waiting.size === 2) waiting.get('b')?.();
        });
        order.push(key);
        waiting.get('a')?.();
        return key;
      },
    });
    const run = runTools(model, { messages, tools: [wait] });
    const results = (await collect(run)).flatMap((event) =>
      event.type === 'tool-result' ? [event.toolCallId] : [],
    );
    expect(order).toEqual(['b', 'a']);
    expect(results).toEqual(['call00002', 'call00001']);
    const answers = (await run.messages).filter(({ role }) => role === 'tool');
    expect(answers.map(({ content }) => content)).toEqual(['a', 'b']);
  });

  it('tells the model what went wrong, and goes on', async () => {
    const failing = defineTool({
      name: 'fail',
      parameters: z.object({}),
      execute: () => {
        throw new Error('no such city');
      },
    });
    const model = fakeModel(calling(['fail', {}]), calling(['get_weather', { city: 7, unit: 'celsius' }]), {
      content: 'Sorry.',
    });
    const run = runTools(model, { messages, tools: [failing, weather] });
    const errors = (await collect(run)).filter(({ type }) => type === 'tool-error');
    expect(errors).toHaveLength(2);
    const answers = (await run.messages).filter(({ role }) => role === 'tool');
    expect(answers[0]?.content).toBe('Error: no such city');
    expect(answers[1]?.content).toMatch(/^Error: the arguments are not valid: city: /);
    expect((await run.message).content).toBe('Sorry.');
  });

  it('tells the model of whatever a tool throws', async () => {
    const unreadable = Object.defineProperty(new Error(''), 'message', {
      get: () => {
        throw new Error('no');
      },
    });
    for (const thrown of [Object.create(null), unreadable, Symbol('why'), undefined, 'no such city']) {
      const model = fakeModel(calling(['get_weather', bern]), { content: 'Sorry.' });
      const execute = () => {
        throw thrown;
      };
      const run = runTools(model, { messages, tools: [{ ...weather, execute }] });
      const [failure] = (await collect(run)).filter(({ type }) => type === 'tool-error');
      expect(failure).toMatchObject({ content: expect.stringMatching(/^Error: ./) });
      expect((await run.message).content).toBe('Sorry.');
    }
  });

  it.each<[string, unknown, string]>([
    ['a Map', new Map([['degrees', 21]]), 'a Map'],
    ['a Set among others', { cities: new Set(['Bern']) }, 'a Set'],
    ['a function', () => 21, 'a function'],
    ['an iterator', [21].values(), 'an iterator'],
    ['an asynchronous one', (async function* () {})(), 'an iterator'],
  ])('tells the model where a result is %s, of which JSON has nothing', async (_, output, kind) => {
    const model = fakeModel(calling(['get_weather', bern]), { content: 'Oh.' });
    const run = runTools(model, { messages, tools: [{ ...weather, execute: () => output }] });
    const [failure] = (await collect(run)).filter(({ type }) => type === 'tool-error');
    expect(failure).toMatchObject({ content: expect.stringContaining(`returned ${kind}, of which`) });
  });

  it('gives what the schema made of the arguments', async () => {
    let seen: unknown;
    const tool = defineTool({
      name: 'count',
      parameters: z.object({ to: z.number().default(3) }),
      execute: (input) => {
        seen = input;
      },
    });
    const run = runTools(fakeModel(calling(['count', {}])), { messages, tools: [tool] });
    expect((await run.messages)[2]?.content).toBe('null');
    expect(seen).toEqual({ to: 3 });
  });

  it('gives up a call that takes too long, and tells the model', async () => {
    const aborted: boolean[] = [];
    const slow = {
      name: 'slow',
      parameters: { type: 'object' },
      execute: (_: unknown, { signal }: { readonly signal: AbortSignal }) => {
        signal.addEventListener('abort', () => aborted.push(true));
        return new Promise(() => undefined);
      },
    } as const;
    const options = { messages, tools: [slow], toolTimeoutMs: 1, toolRetries: 1 };
    const run = runTools(fakeModel(calling(['slow', {}])), options);
    expect((await run.messages)[2]?.content).toBe('Error: the tool took longer than 1 ms');
    expect(aborted).toEqual([true, true]);
  });

  it('carries out again what failed, as often as it may', async () => {
    let left = 2;
    const shaky = {
      name: 'shaky',
      parameters: { type: 'object' },
      execute: () => {
        left -= 1;
        if (left >= 0) throw new Error('busy');
        return 'done';
      },
    } as const;
    const ask = async (toolRetries: number) => {
      left = 2;
      const run = runTools(fakeModel(calling(['shaky', {}])), { messages, tools: [shaky], toolRetries });
      return (await run.messages)[2]?.content;
    };
    expect([await ask(0), await ask(1), await ask(2)]).toEqual(['Error: busy', 'Error: busy', 'done']);
  });

  it('stops at the limit of steps', async () => {
    const again = calling(['get_weather', bern]);
    const model = fakeModel(again, again, again, again);
    const run = runTools(model, { messages, tools: [weather], maxSteps: 3, maxRepeats: 3 });
    expect((await collect(run)).at(-1)).toMatchObject({ type: 'run-finish', steps: 3, reason: 'step-limit' });
    expect(model.asked).toHaveLength(3);
    expect((await run.messages).at(-1)?.role).toBe('tool');
  });

  it.each([1, 2, 4])('ends where the same calls got the same results %i times more', async (maxRepeats) => {
    const again = Array.from({ length: 8 }, () => calling(['get_weather', bern]));
    const model = fakeModel(...again);
    const run = runTools(model, { messages, tools: [weather], maxRepeats });
    const steps = maxRepeats + 1;
    expect((await collect(run)).at(-1)).toMatchObject({
      type: 'run-finish',
      steps,
      reason: 'repeated-calls',
    });
    expect((await run.messages).at(-1)?.role).toBe('tool');
  });

  it('goes on where results or arguments differ', async () => {
    let polled = 0;
    const poll = {
      name: 'poll',
      parameters: { type: 'object' },
      execute: () => {
        polled += 1;
        return `${polled} % done`;
      },
    } as const;
    const polling = Array.from({ length: 5 }, () => calling(['poll', {}]));
    const run = runTools(fakeModel(...polling), { messages, tools: [poll], maxSteps: 5, maxRepeats: 1 });
    expect((await collect(run)).at(-1)).toMatchObject({ reason: 'step-limit' });
    const cities = Array.from({ length: 5 }, (_, index) => calling(['get_weather', { city: `C${index}` }]));
    const other = runTools(fakeModel(...cities), { messages, tools: [weather], maxSteps: 5, maxRepeats: 1 });
    expect((await collect(other)).at(-1)).toMatchObject({ reason: 'step-limit' });
  });

  it.each([1, 0])(
    'carries out no call of a message that a limit cut within one (calls broken: %i)',
    async (broken) => {
      const cut = {
        type: 'malformed',
        raw: '{"na',
        expected: [],
        reason: 'the text ends inside a call',
        start: 0,
        end: 4,
      } as const;
      const answer = broken === 0 ? {} : { malformed: [cut] };
      const chat = (): GeneratedChat => {
        const generate = async function* () {
          yield { type: 'finish', reason: 'length', start: 4, end: 4 } as const;
          return { role: 'assistant', content: null, ...calling(['get_weather', bern]), ...answer } as const;
        };
        return new GeneratedChat(generate(), () => ({ role: 'assistant', content: null }), noReport);
      };
      const events = await collect(runTools({ chat }, { messages, tools: [weather] }));
      expect(events.at(-1)).toMatchObject({ type: 'run-finish', steps: 1, reason: 'length' });
      expect(events.filter(({ type }) => type === 'tool-result')).toHaveLength(1 - broken);
    },
  );

  it('asks for a call only once where calls are required', async () => {
    const model = fakeModel(calling(['get_weather', bern]));
    await runTools(model, { messages, tools: [weather], toolChoice: 'required' }).messages;
    expect(model.asked.map(({ toolChoice }) => toolChoice)).toEqual(['required', 'auto']);
  });

  it('gives calls back that nothing here carries out', async () => {
    const tools = [{ name: 'ask_user', inputSchema: { type: 'object' } }, weather] as const;
    const model = fakeModel(calling(['ask_user', {}], ['get_weather', bern]));
    const run = runTools(model, { messages, tools });
    expect((await collect(run)).at(-1)).toMatchObject({ reason: 'open-calls', steps: 1 });
    expect((await run.messages).filter(({ role }) => role === 'tool')).toHaveLength(1);
  });

  it('has one executor for the tools of an MCP server', async () => {
    const tools = [
      {
        name: 'get_weather',
        inputSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    ] as const;
    const run = runTools(fakeModel(calling(['get_weather', { city: 'Bern' }])), {
      messages,
      tools,
      execute: (call) => {
        expectTypeOf(call.arguments.city).toEqualTypeOf<string>();
        return `${call.name} ${call.arguments.city}`;
      },
    });
    expect((await run.messages)[2]?.content).toBe('get_weather Bern');
  });

  it('types arguments all of which are optional', async () => {
    const properties = { unit: { type: 'string', enum: ['c', 'f'] } } as const;
    const tools = [{ name: 'get_weather', parameters: { type: 'object', properties } }] as const;
    const run = runTools(fakeModel(calling(['get_weather', { unit: 'c' }])), {
      messages,
      tools,
      execute: (call) => {
        expectTypeOf(call.arguments.unit).toEqualTypeOf<'c' | 'f' | undefined>();
        return call.arguments.unit ?? 'none';
      },
    });
    expect((await run.messages)[2]?.content).toBe('c');
    expectTypeOf<ToolCallOf<ToolList>['arguments']>().toEqualTypeOf<JsonObject>();
  });

  it('ends with the reason of an abort, also while a tool does not listen', async () => {
    const controller = new AbortController();
    const told: AbortSignal[] = [];
    const deaf = defineTool({
      name: 'deaf',
      parameters: z.object({}),
      execute: (_, { signal }) => {
        told.push(signal);
        setTimeout(() => controller.abort(new Error('enough')), 5);
        return new Promise(() => undefined);
      },
    });
    const run = runTools(fakeModel(calling(['deaf', {}])), {
      messages,
      tools: [deaf],
      signal: controller.signal,
    });
    await expect(run.messages).rejects.toThrow('enough');
    expect(told.map(({ reason }) => reason)).toEqual([controller.signal.reason]);
  });

  it('listens to its signal once, however many calls are carried out', async () => {
    const { signal } = new AbortController();
    const listen = vi.spyOn(signal, 'addEventListener');
    const calls = Array.from({ length: 20 }, () => ['get_weather', bern] as const);
    const run = runTools(fakeModel(calling(...calls)), { messages, tools: [weather], signal });
    expect(await run.messages).toHaveLength(1 + 1 + calls.length + 1);
    expect(listen).toHaveBeenCalledTimes(1);
  });

  it('rejects with what stopped the model', async () => {
    const run = runTools(fakeModel(new Error('out of memory')), { messages, tools: [weather] });
    await expect(run.message).rejects.toThrow('out of memory');
  });

  it('has the model told where it is overruled only if that matters', async () => {
    const told = [];
    for (const askIfOverruled of [0.5, undefined]) {
      const model = fakeModel();
      await runTools(model, { messages, tools: [weather], askIfOverruled }).messages;
      told.push(model.asked[0]?.tellOverruled);
    }
    expect(told).toEqual([true, undefined]);
  });

  it('that is left after a result gives the messages there were', async () => {
    const run = runTools(fakeModel(calling(['get_weather', bern])), { messages, tools: [weather] });
    for await (const event of run) if (event.type === 'tool-result') break;
    expect((await run.messages).slice(1)).toMatchObject([
      { role: 'assistant' },
      { role: 'tool', tool_call_id: 'call00001', content: told },
    ]);
  });

  it('that is left leaves calls that nothing here executes to the caller', async () => {
    const approval = { name: 'pay', parameters: { type: 'object' } } as const;
    const calls = calling(['pay', {}], ['get_weather', bern]);
    const run = runTools(fakeModel(calls), { messages, tools: [approval, weather] });
    for await (const { type } of run) if (type === 'tool-result') break;
    const results = (await run.messages).filter(({ role }) => role === 'tool');
    expect(results).toMatchObject([{ tool_call_id: 'call00002', content: told }]);
  });

  it('that is left aborts the signal of the tools that still run; one that comes to its end does not', async () => {
    const signals: AbortSignal[] = [];
    const never = defineTool({
      name: 'never',
      parameters: z.strictObject({}),
      execute: (_, { signal }) => {
        signals.push(signal);
        return new Promise<string>(() => undefined);
      },
    });
    const quick = defineTool({
      name: 'quick',
      parameters: z.strictObject({}),
      execute: (_, { signal }) => {
        signals.push(signal);
        return 'done';
      },
    });
    const calls = calling(['never', {}], ['quick', {}]);
    const run = runTools(fakeModel(calls), { messages, tools: [never, quick] });
    for await (const { type } of run) {
      if (type !== 'tool-result') continue;
      expect(signals.map(({ aborted }) => aborted)).toEqual([false, false]);
      break;
    }
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect((await run.messages).slice(2)).toMatchObject([
      { tool_call_id: 'call00001', content: expect.stringContaining('the run ended before the call did') },
      { tool_call_id: 'call00002', content: 'done' },
    ]);

    signals.length = 0;
    await runTools(fakeModel(calling(['quick', {}])), { messages, tools: [quick] }).messages;
    expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  });

  it.each([null, undefined, 5, {}, { chat: 5 }])('of %j, which is no model, is refused', async (model) => {
    const run = () => runTools(model as never, { messages, tools: [weather] });
    await expect(run().message).rejects.toThrow(UnsupportedOptionError);
    await expect(run().report).rejects.toThrow(UnsupportedOptionError);
  });
});
