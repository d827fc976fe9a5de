/** The seam between chats and engines: whatever an engine asks of a mask, the response is the same, and enforced. */
import { describe, expect, it } from 'vitest';
import {
  DecodingError,
  type JsonObject,
  ModelDisposedError,
  UnsupportedOptionError,
  writeResponse,
} from '../../src/index.ts';
import {
  type ChatOptions,
  connectEngine,
  type Engine,
  type EngineModel,
} from '../../src/runtime/engine/index.ts';
import { byteTokenizer, FakeEngine, type Question } from '../support/fake-engine.ts';
import { sampled } from '../support/sample.ts';

const questions: readonly Question[] = ['few', 'allows', 'grammar'];
const formats = ['json', 'tags', 'channels'] as const;

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Tells the weather.',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string', maxLength: 20 },
        days: { type: 'integer', minimum: 1, maximum: 7 },
      },
      required: ['city', 'days'],
      additionalProperties: false,
    },
  },
} as const;

const messages = [{ role: 'user', content: 'How is it in Paris? <|im_end|>' }] as const;

type Format = (typeof formats)[number];

/** An engine for each format, whose template is analysed once. */
const connected = new Map(
  formats.map((format) => {
    const engine = new FakeEngine(format);
    return [format, { engine, model: connectEngine(engine) }];
  }),
);

async function connect(
  format: Format,
): Promise<{ readonly engine: FakeEngine; readonly model: EngineModel }> {
  const known = connected.get(format);
  if (known === undefined) throw new Error(format);
  return { engine: known.engine, model: await known.model };
}

/** What a model of this format writes for a call with these arguments. */
async function callText(format: Format, args: object): Promise<string> {
  const { model } = await connect(format);
  const called = { name: 'get_weather', arguments: JSON.stringify(args) };
  return writeResponse(model.templates.toolUse.format, {
    role: 'assistant',
    content: null,
    tool_calls: [{ id: 'call_0', type: 'function', function: called }],
  });
}

/** What was drawn and injected, and what came of it. */
async function respond(format: Format, asks: Question, script: string, chat: Partial<ChatOptions>) {
  const { engine, model } = await connect(format);
  Object.assign(engine, { asks, script, passes: 0, backs: 0 });
  const stream = model.chat({ messages, tools: [weather], maxTokens: 200, ...chat });
  const events: string[] = [];
  for await (const { type } of stream) events.push(type);
  expect(engine.sequences).toBe(0);
  const { content, tool_calls } = await stream.message;
  const { completionTokens, injectedTokens } = await stream.usage;
  const calls = (await stream.calls).map((each) => each.arguments);
  const { written, passes, backs } = engine;
  return { events, content, tool_calls, calls, completionTokens, injectedTokens, written, passes, backs };
}

describe.each(formats)('%s', (format) => {
  const chats: readonly Partial<ChatOptions>[] = [
    {},
    { toolChoice: 'required' },
    { toolChoice: 'required', injectForcedText: false },
    { toolChoice: 'none' },
    { thinkingBudget: 4, toolChoice: 'required' },
  ];
  const scripts = [
    { title: 'a right call', args: { city: 'Paris', days: 3 } },
    { title: 'a wrong call', args: { city: 'Paris, the capital of France', days: 9, unit: 'celsius' } },
    { title: 'prose', args: null },
  ];
  const cases = chats.flatMap((chat) =>
    scripts.map((script) => ({ ...script, chat, mode: JSON.stringify(chat) })),
  );

  it.each(sampled(cases, 3, formats.indexOf(format)))(
    'three questions, one response: $title, $mode',
    async ({ args, chat }) => {
      const script = args === null ? 'It rains, I think.' : await callText(format, args);
      const first = await respond(format, 'few', script, chat);
      for (const asks of questions) expect(await respond(format, asks, script, chat)).toEqual(first);
      const { calls } = first;
      // Thoughts are free; without a budget, prose goes on in them.
      const isEnforced = chat.toolChoice === 'required' && (args !== null || chat.thinkingBudget === 4);
      if (isEnforced) expect(calls).toHaveLength(1);
      if (chat.toolChoice === 'none') expect(calls).toEqual([]);
      for (const call of calls) {
        const { city, days, ...more } = call as { readonly city: string; readonly days: number };
        expect([...city].length).toBeLessThanOrEqual(20);
        expect([1, 2, 3, 4, 5, 6, 7]).toContain(days);
        expect(more).toEqual({});
      }
      if (args?.days === 3 && chat.toolChoice === 'required') expect(calls).toEqual([args]);
    },
  );

  it('guesses change the number of passes, not the response', async () => {
    const chat = { toolChoice: 'required', tools: [wordTool(['kind', 'other', 'third', 'last'])] } as const;
    const script = await callText(format, { kind: 'green', other: 'blue', third: 'green', last: 'green' });
    const { passes: slowPasses, ...slow } = await respond(format, 'few', script, chat);
    for (const asks of questions) {
      const { passes, ...fast } = await respond(format, asks, script, { ...chat, speculate: true });
      expect({ ...fast, backs: 0 }).toEqual(slow);
      expect(passes).toBeLessThan(slowPasses);
    }
  });

  it('it is told where the grammar overruled the model, and nothing else changes', async () => {
    const script = await callText(format, { city: 'Paris', days: 14 });
    const chat = { toolChoice: 'required', thinkingBudget: 0 } as const;
    const { engine, model } = await connect(format);
    const told = async (tellOverruled: boolean) => {
      Object.assign(engine, { asks: 'few', script, reports: true });
      const stream = model.chat({ messages, tools: [weather], ...chat, tellOverruled });
      const overruled = [];
      for await (const event of stream) if (event.type === 'tool-call') overruled.push(event.overruled);
      engine.reports = false;
      return { calls: await stream.calls, overruled };
    };
    const untold = await told(false);
    const { calls, overruled } = await told(true);
    expect([untold.overruled, calls]).toEqual([[undefined], untold.calls]);
    expect(overruled).toMatchObject([
      [{ wished: '4', probability: 1, before: expect.stringMatching(/days.*1$/s) }],
    ]);
  });

  it('a run asks once again instead of accepting what was not meant', async () => {
    const { engine, model } = await connect(format);
    const done: unknown[] = [];
    const tool = {
      ...weather,
      execute: (input: unknown) => {
        done.push(input);
        return 'sun';
      },
    };
    const script = await callText(format, { city: 'Paris', days: 14 });
    Object.assign(engine, { asks: 'few', script, reports: true });
    const run = model.runTools({
      messages,
      tools: [tool],
      toolChoice: 'required',
      thinkingBudget: 0,
      askIfOverruled: 0.5,
      maxSteps: 1,
    });
    const outcomes = [];
    for await (const event of run) if (event.type === 'tool-error') outcomes.push(event.content);
    engine.reports = false;
    expect([done, outcomes]).toEqual([[], [expect.stringContaining('you would have written "4"')]]);
  });

  it('a value that only a check refuses is taken back', async () => {
    const list = { type: 'array', items: { type: 'string', maxLength: 8 }, uniqueItems: true, maxItems: 2 };
    const chat = { toolChoice: 'required', tools: [toolOf({ names: list })] } as const;
    const script = await callText(format, { names: ['ab', 'ab'] });
    for (const asks of questions) {
      const { calls, backs } = await respond(format, asks, script, chat);
      const [{ names = [] } = {}] = calls as { readonly names?: readonly string[] }[];
      expect(new Set(names).size).toBe(names.length);
      expect(names).not.toEqual([]);
      expect(backs).toBeGreaterThan(0);
    }
  });
});

/** A tool whose arguments are all required. */
function toolOf(properties: JsonObject) {
  const required = Object.keys(properties);
  const parameters = { type: 'object', properties, required, additionalProperties: false };
  return { type: 'function', function: { name: 'get_weather', parameters } } as const;
}

/** A tool whose arguments are one of two words each. */
function wordTool(names: readonly string[]) {
  return toolOf(Object.fromEntries(names.map((name) => [name, { enum: ['blue', 'green'] }])));
}

const prose = 'It rains, I think.';

describe('a chat with an engine', () => {
  it('gets the text of a user as text: no special token forms', async () => {
    const { written } = await respond('json', 'few', prose, { toolChoice: 'none' });
    const end = byteTokenizer.texts.indexOf('<|im_end|>');
    // After the system message, and after the user's.
    expect(written.filter((token) => token === end)).toHaveLength(2);
  });

  it('that the reader leaves closes its sequence, and keeps what was written', async () => {
    const { engine, model } = await connect('json');
    engine.script = prose;
    const chat = model.chat({ messages });
    for await (const event of chat) if (event.type === 'text-delta') break;
    expect(prose).toContain((await chat.message).content ?? 'nothing');
    expect(engine.sequences).toBe(0);
  });

  it('ends with the reason of its signal', async () => {
    const { engine, model } = await connect('json');
    const stop = new AbortController();
    const chat = model.chat({ messages, signal: stop.signal });
    const reading = (async () => {
      for await (const _event of chat) stop.abort(new Error('enough'));
    })();
    await expect(reading).rejects.toThrow('enough');
    expect(engine.sequences).toBe(0);
  });

  it('reports what the engine throws, with its name', async () => {
    const engine = new FakeEngine('json');
    engine.open = async () => {
      throw new RangeError('out of memory');
    };
    const failing = (await connectEngine(engine)).chat({ messages }).message;
    await expect(failing).rejects.toThrow(DecodingError);
    await expect(failing).rejects.toThrow('fake stopped: RangeError: out of memory');
  });

  it.each(['few', 'allows'])(
    'fails if the engine, which asks %s, draws what the mask forbids',
    async (asks) => {
      const engine = new FakeEngine('json');
      const model = await connectEngine(engine);
      const script = await callText('json', { city: 'Paris', days: 3 });
      Object.assign(engine, { asks, script, disobeysAt: 3 });
      const { message } = model.chat({ messages, tools: [weather], toolChoice: 'required' });
      await expect(message).rejects.toThrow(DecodingError);
      expect(engine.sequences).toBe(0);
    },
  );

  it('drops whole messages if that is asked for, and never overflows', async () => {
    const engine = new FakeEngine('json', 1024);
    const model = await connectEngine(engine);
    engine.script = Array.from({ length: 170 }, (_, index) => index + 1).join(' ');
    const long = Array.from({ length: 12 }, (_, index) => ({
      role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `Turn ${index} of a long conversation. `.repeat(3),
    }));
    const chat = model.chat({ messages: [...long, ...messages], contextOverflow: 'shift', maxTokens: 700 });
    expect((await chat.message).content?.trim()).toBe(engine.script);
    expect((await chat.usage).droppedMessages).toBeGreaterThan(0);
    expect(engine.backs).toBeGreaterThan(0);
  });

  it('fails where probabilities are wanted that the engine does not report', async () => {
    const { model } = await connect('json');
    await expect(model.chat({ messages, logprobs: 2 }).message).rejects.toThrow('leave out logprobs');
  });

  it('applies the bias of the caller in free text', async () => {
    const comma = ','.charCodeAt(0);
    const { content } = await respond('json', 'few', prose, { tools: [], logitBias: [[comma, false]] });
    expect(content).not.toContain(',');
  });

  it('refuses what the engine refuses, and everything once it is disposed of', async () => {
    const model = await connectEngine(new FakeEngine('json'));
    const xtc = { probability: 0.5, threshold: 0.1 };
    await expect(model.chat({ messages, xtc }).message).rejects.toThrow(UnsupportedOptionError);
    await model.dispose();
    await expect(model.chat({ messages }).message).rejects.toThrow(ModelDisposedError);
    expect(() => model.preview({ messages })).toThrow('a script');
  });
});

it('what is no engine is refused', async () => {
  const none = { name: 'none' } as unknown as Engine;
  await expect(connectEngine(none)).rejects.toThrow('engine must be an engine');
});
