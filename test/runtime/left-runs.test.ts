/**
 * Law: wherever the loop of a tool run is left, `messages` is a conversation that can go on: what was written so far is
 * in it, and each call that would have been executed has one result, in the order of the calls.
 */
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { AnswerError } from '../../src/format/errors.ts';
import type { Message } from '../../src/format/messages.ts';
import type { Usage } from '../../src/parser/events.ts';
import { connectEngine, type EngineModel } from '../../src/runtime/engine/index.ts';
import { scriptedEngine } from '../../src/testing/index.ts';
import { defineTool } from '../../src/tools/tools.ts';

const messages = [{ role: 'user', content: 'How warm is it in Bern, and in Oslo?' }] as const;
const weather = defineTool({
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: z.strictObject({ city: z.string() }),
  execute: ({ city }) => `${city}: 21 degrees`,
});
const tools = [weather];

const callOf = (city: string): string =>
  `<tool_call>{"name": "get_weather", "arguments": {"city": "${city}"}}</tool_call>`;
const calls = `${callOf('Bern')}\n${callOf('Oslo')}`;

/** A model that writes two calls, and then its answer; `prose`: before the calls. */
async function open(prose = 'I ask.'): Promise<EngineModel> {
  const turns = [
    { after: 'in Oslo?', script: `<think>Two calls.</think>\n${prose}${calls}` },
    { after: 'Oslo: 21 degrees', script: '{"degrees": [21, 21]}' },
  ];
  const model = await connectEngine(scriptedEngine({ turns }));
  onTestFinished(() => model.dispose());
  return model;
}

/** The conversation if the loop is left at this event; `null` if there are not so many. */
async function leftAt(model: EngineModel, index: number): Promise<readonly Message[] | null> {
  const run = model.runTools({ messages, tools });
  let count = 0;
  for await (const _ of run) {
    if (count === index) return run.messages;
    count += 1;
  }
  return null;
}

/** Aborts `run` at this event; whether that ended it. */
async function abortedAt(
  run: AsyncIterable<unknown>,
  index: number,
  controller: AbortController,
): Promise<boolean> {
  let count = 0;
  try {
    for await (const _ of run) {
      if (count === index) controller.abort(new Error('enough'));
      count += 1;
    }
    return false;
  } catch (error) {
    expect(error).toBe(controller.signal.reason);
    return true;
  }
}

/** The conversations of all places, in order. */
async function leftEverywhere(model: EngineModel): Promise<readonly (readonly Message[])[]> {
  const all: (readonly Message[])[] = [];
  for (let index = 0; ; index += 1) {
    const left = await leftAt(model, index);
    if (left === null) return all;
    all.push(left);
  }
}

function idsOfCalls(conversation: readonly Message[]): readonly string[] {
  return conversation.flatMap((message) =>
    message.role === 'assistant' ? (message.tool_calls ?? []).map(({ id }) => id) : [],
  );
}

function idsOfResults(conversation: readonly Message[]): readonly (string | undefined)[] {
  return conversation.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []));
}

describe('a run that is left', () => {
  it('has a result for each call, whatever it was left at', async () => {
    const model = await open();
    const places = await leftEverywhere(model);
    expect(Math.max(...places.map((conversation) => idsOfCalls(conversation).length))).toBe(2);
    for (const conversation of places) {
      expect(conversation[0]).toEqual(messages[0]);
      expect(idsOfResults(conversation)).toEqual(idsOfCalls(conversation));
      const { prompt } = model.preview({ messages: conversation, tools });
      expect(prompt.length).toBeGreaterThan(0);
    }
  });

  it('has them, too, where its signal ends it, whose reason all promises reject with', async () => {
    const model = await open();
    for (let index = 0, isAborted = true; isAborted; index += 1) {
      const controller = new AbortController();
      const run = model.runTools({ messages, tools, signal: controller.signal });
      isAborted = await abortedAt(run, index, controller);
      const conversation = run.messagesSoFar;
      expect(conversation[0]).toEqual(messages[0]);
      expect(idsOfResults(conversation)).toEqual(idsOfCalls(conversation));
      if (isAborted) await expect(run.messages).rejects.toThrow('enough');
      else expect(await run.messages).toEqual(conversation);
    }
  });

  it('does nothing if that was before its first event was read', async () => {
    const executed: unknown[] = [];
    const tool = defineTool({ ...weather, execute: (input) => executed.push(input) });
    const model = await open();
    const leave: readonly ((run: ReturnType<typeof start>) => unknown)[] = [
      (run) => run.toResponse().body?.cancel(),
      (run) => run.toReadableStream().cancel(),
      (run) => run[Symbol.asyncIterator]().return?.(),
    ];
    const start = () => model.runTools({ messages, tools: [tool] });
    for (const way of leave) {
      const run = start();
      await way(run);
      expect(await run.messages).toEqual(messages);
      expect(await run.message).toEqual({ role: 'assistant', content: null });
      expect((await run.usage).completionTokens).toBe(0);
    }
    expect(executed).toEqual([]);
  });

  it('has no message of the model before that has written anything', async () => {
    const model = await open();
    expect(await leftAt(model, 0)).toEqual(messages);
    const thought = (await leftAt(model, 2)) ?? [];
    expect(thought.slice(1)).toEqual([
      { role: 'assistant', content: expect.toBeOneOf([null, '']), reasoning_content: expect.any(String) },
    ]);
  });

  it('gives each event of the chats that it is made of, and the sum of their tokens', async () => {
    const model = await open();
    const run = model.runTools({ messages, tools });
    const texts: string[] = [];
    const usages: Usage[] = [];
    for await (const event of run) {
      if (event.type === 'text-delta') texts.push(event.delta);
      if (event.type === 'finish' && event.usage !== undefined) usages.push(event.usage);
    }
    expect(texts.join('')).toBe('I ask.{"degrees": [21, 21]}');
    expect(usages).toHaveLength(2);
    const total = usages.reduce((sum, { completionTokens }) => sum + completionTokens, 0);
    expect((await run.usage).completionTokens).toBe(total);
  });

  it('loses nothing of what was written', async () => {
    const places = await leftEverywhere(await open());
    const sizes = places.map((conversation) => JSON.stringify(conversation.map(withoutErrors)).length);
    expect(sizes).toEqual(sizes.toSorted((one, other) => one - other));
    const answers = places.map((conversation) => conversation.at(-1)?.content);
    expect(answers.at(-1)).toBe('{"degrees": [21, 21]}');
  });
});

describe('a run that is left while a tool works', () => {
  type Run = ReturnType<EngineModel['runTools']>;

  /** Reads until the tool has begun, and leaves while the next event is waited for. */
  const doors: Readonly<Record<string, (run: Run, begun: Promise<void>) => Promise<unknown>>> = {
    'the iterator': async (run, begun) => {
      const events = run[Symbol.asyncIterator]();
      const read = (async () => {
        for await (const _ of events);
      })();
      await begun;
      await events.return?.();
      await read;
    },
    'the stream': async (run, begun) => {
      const reader = run.toReadableStream().getReader();
      const read = (async () => {
        while (!(await reader.read()).done);
      })();
      await begun;
      await reader.cancel();
      await read;
    },
    'the response': async (run, begun) => {
      const reader = run.toResponse().body?.getReader();
      const read = (async () => {
        while ((await reader?.read())?.done === false);
      })();
      await begun;
      await reader?.cancel();
      await read;
    },
  };

  it.each(Object.keys(doors))('ends the tool at once, and goes on afterwards: %s', async (door) => {
    const model = await open();
    let begin = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const signals: AbortSignal[] = [];
    const never = defineTool({
      ...weather,
      execute: (_, { signal }) => {
        signals.push(signal);
        begin();
        return new Promise<string>(() => undefined);
      },
    });
    const run = model.runTools({ messages, tools: [never] });
    await doors[door]?.(run, begun);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    const conversation = await run.messages;
    expect(idsOfResults(conversation)).toEqual(idsOfCalls(conversation));
    expect(conversation.at(-1)?.content).toContain('whether it had an effect is not known');
    expect((await run.usage).completionTokens).toBeGreaterThan(0);
  });

  it('counts the tokens of a response that was not over', async () => {
    const run = (await open()).runTools({ messages, tools });
    for await (const event of run) if (event.type === 'tool-call') break;
    const { promptTokens, completionTokens } = await run.usage;
    expect(promptTokens).toBeGreaterThan(0);
    expect(completionTokens).toBeGreaterThan(0);
  });
});

/** What stands in the place of a result is no part of what was written. */
function withoutErrors(message: Message): Message {
  return message.role === 'tool' && String(message.content).startsWith('Error:')
    ? { ...message, content: '' }
    : message;
}

describe('the answer of a run', () => {
  const schema = z.strictObject({ degrees: z.array(z.number()) });
  const responseFormat = { type: 'json_schema', json_schema: { schema } } as const;

  it('has the type of its schema', async () => {
    const run = (await open('')).runTools({ messages, tools, responseFormat });
    expectTypeOf(run.object).resolves.toEqualTypeOf<{ degrees: number[] }>();
    expect(await run.object).toEqual({ degrees: [21, 21] });
  });

  it('is an error where the run ended with calls', async () => {
    const run = (await open('')).runTools({ messages, tools, responseFormat, maxSteps: 1 });
    await expect(run.object).rejects.toThrow(/the run ended with step-limit/);
  });

  it('is an error where none was asked for', async () => {
    const run = (await open()).runTools({ messages, tools });
    await expect(run.object).rejects.toThrow(AnswerError);
  });
});
