/** Laws of the steps of a run: what holds for its first response alone, how far it goes, and what it leaves behind. */
import { describe, expect, it } from 'vitest';
import type { Message, ToolChoice } from '../../src/format/messages.ts';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { GeneratedChat } from '../../src/runtime/chat/chat-stream.ts';
import { type ChatOptions, runTools } from '../../src/runtime/node-llama-cpp/index.ts';

const question: Message = { role: 'user', content: 'Look.' };
const tool = { name: 'look', parameters: { type: 'object', properties: {} }, execute: () => 'seen' } as const;

/** A model that calls the tool `calls` times, each time with other arguments, then answers; with what it was asked. */
function callingModel(calls: number, reports: readonly (readonly string[])[] = []) {
  const asked: ChatOptions[] = [];
  const chat = (options: ChatOptions): GeneratedChat => {
    const at = asked.push({ ...options, messages: [...options.messages] }) - 1;
    const called = { name: 'look', arguments: JSON.stringify({ at }) };
    const message: ResponseMessage =
      at < calls
        ? {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: `call0000${at}`, type: 'function', function: called }],
          }
        : { role: 'assistant', content: 'Done.' };
    const generate = async function* () {
      yield { type: 'text-delta', id: 'text-0', delta: '', start: 0, end: 0 } as const;
      return message;
    };
    const report = async () =>
      (reports[at] ?? []).map(
        (reason) => ({ tool: '', pointer: '', keyword: reason, effect: 'noted', reason }) as const,
      );
    return new GeneratedChat(generate(), () => message, report);
  };
  return { asked, chat };
}

const choices: readonly (readonly [first: ToolChoice, later: ToolChoice])[] = [
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'auto'],
  [{ type: 'function', function: { name: 'look' } }, 'auto'],
  [
    {
      type: 'allowed_tools',
      allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'look' } }] },
    },
    {
      type: 'allowed_tools',
      allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'look' } }] },
    },
  ],
];

describe('a run', () => {
  it.each(choices)('demands a call of its first response alone: %j, then %j', async (first, later) => {
    const model = callingModel(2);
    for await (const _ of runTools(model, {
      messages: [question],
      tools: [tool],
      toolChoice: first as never,
    }));
    expect(model.asked.map(({ toolChoice }) => toolChoice)).toEqual([first, later, later]);
  });

  it.each(choices)('reports on what follows where that is demanded otherwise: %j', async (first) => {
    const model = callingModel(0, [['a'], ['a', 'b']]);
    const report = await runTools(model, { messages: [question], tools: [tool], toolChoice: first as never })
      .report;
    const isNamed = typeof first === 'object' && first.type === 'function';
    expect(report.map(({ reason }) => reason)).toEqual(isNamed ? ['a', 'b'] : ['a']);
  });

  it('ends after its most steps, without a number of its own only if it may stop otherwise', async () => {
    const many = 40;
    const steps = async (options: object): Promise<number> => {
      const model = callingModel(many);
      for await (const _ of runTools(model, { messages: [question], tools: [tool], ...options }));
      return model.asked.length;
    };
    expect(await steps({ maxSteps: 3 })).toBe(3);
    expect(await steps({ maxSteps: 3, stopWhen: () => false })).toBe(3);
    expect(await steps({ stopWhen: () => false })).toBe(many + 1);
    expect(
      await steps({ stopWhen: ({ steps: all }: { readonly steps: readonly unknown[] }) => all.length === 5 }),
    ).toBe(5);
    expect(await steps({})).toBeLessThan(many);
  });

  it('goes on with the message that its first response continues, and has it once', async () => {
    const begun: Message = { role: 'assistant', content: 'I will' };
    for (const isContinued of [true, false]) {
      const model = callingModel(1);
      const options = { messages: [question, begun], tools: [tool], continueFinalMessage: isContinued };
      for await (const _ of runTools(model, options));
      const [first, second] = model.asked;
      expect(first?.messages).toEqual([question, begun]);
      expect(second?.messages.map(({ role }) => role)).toEqual(
        isContinued ? ['user', 'assistant', 'tool'] : ['user', 'assistant', 'assistant', 'tool'],
      );
      expect(second).not.toHaveProperty('continueFinalMessage');
    }
  });

  it('aborts its tools when it is left, and with its signal as long as it runs', async () => {
    for (const [isLeft, isAborted] of [
      [false, false],
      [true, true],
    ]) {
      const controller = new AbortController();
      const signals: AbortSignal[] = [];
      const keeping = {
        ...tool,
        execute: (_: unknown, context: { readonly signal: AbortSignal }) => signals.push(context.signal),
      };
      const { signal } = controller;
      for await (const event of runTools(callingModel(2), { messages: [question], tools: [keeping], signal }))
        if (isLeft && event.type === 'step-start' && event.step === 2) break;
      controller.abort();
      expect(signals.map(({ aborted }) => aborted)).toEqual([isAborted, isAborted]);
    }
  });
});
