/** What the compiler promises of chats: names of tools, results of tools, answers of schemas. */
import fc from 'fast-check';
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { AnswerError } from '../../src/format/errors.ts';
import type { JsonObject, JsonValue } from '../../src/format/messages.ts';
import type { ResponseFormat } from '../../src/grammar/grammar-options.ts';
import type { ResponseEvent } from '../../src/parser/events.ts';
import { readAnswer } from '../../src/runtime/chat/answer.ts';
import { GeneratedChat } from '../../src/runtime/chat/chat-stream.ts';
import {
  type ChatModel,
  defineTool,
  type ToolRun,
  type ToolRunEvent,
} from '../../src/runtime/node-llama-cpp/index.ts';
import type { ServerModel } from '../../src/servers/index.ts';

const messages = [{ role: 'user', content: 'Bern?' }] as const;
const weather = defineTool({
  name: 'get_weather',
  parameters: z.strictObject({ city: z.string() }),
  execute: async ({ city }) => ({ city, degrees: 21 }),
});
const clock = defineTool({ name: 'get_time', parameters: z.strictObject({}), execute: () => 'noon' });
const Verdict = z.strictObject({ warm: z.boolean(), day: z.string().transform((text) => new Date(text)) });

/** Never called: the compiler reads it. */
function programs(model: ChatModel, server: ServerModel): void {
  const tools = [weather, clock] as const;
  model.chat({ messages, tools, toolChoice: { type: 'function', function: { name: 'get_time' } } });
  // @ts-expect-error no tool has this name
  model.chat({ messages, tools, toolChoice: { type: 'function', function: { name: 'get_tim' } } });
  // @ts-expect-error nor may it be among the allowed ones
  server.runTools({ messages, tools, toolChoice: allow('get_tim') });
  server.runTools({ messages, tools, toolChoice: allow('get_time') });

  const run = model.runTools({ messages, tools });
  expectTypeOf(run).toEqualTypeOf<ToolRun<typeof tools>>();
  type Result = Extract<ToolRunEvent<typeof tools>, { type: 'tool-result' }>;
  expectTypeOf<Extract<Result, { toolName: 'get_weather' }>['output']>().toEqualTypeOf<{
    city: string;
    degrees: number;
  }>();
  expectTypeOf<Extract<Result, { toolName: 'get_time' }>['output']>().toEqualTypeOf<string>();

  const answer = model.chat({
    messages,
    responseFormat: { type: 'json_schema', json_schema: { name: 'verdict', schema: Verdict } },
  });
  expectTypeOf(answer.object).toEqualTypeOf<Promise<{ warm: boolean; day: Date }>>();
  type Part = typeof answer.objects extends AsyncIterable<infer Each> ? Each : never;
  // As it is written, not as the library makes it.
  expectTypeOf<Part>().toEqualTypeOf<{ readonly warm?: boolean; readonly day?: string }>();
  const places = model.chat({
    messages,
    responseFormat: {
      type: 'json_schema',
      json_schema: {
        schema: z.strictObject({ city: z.enum(['Bern', 'Oslo']), days: z.array(z.literal([1, 'x'])) }),
      },
    },
  });
  type Place = typeof places.objects extends AsyncIterable<infer Each> ? Each : never;
  // A part may have `B`.
  expectTypeOf<Place>().toEqualTypeOf<{
    readonly city?: string;
    readonly days?: readonly (string | 1)[];
  }>();
  const plain = server.chat({
    messages,
    responseFormat: {
      type: 'json_schema',
      json_schema: { schema: { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] } },
    },
  });
  expectTypeOf(plain.object).toEqualTypeOf<Promise<{ readonly a: number }>>();
  expectTypeOf(model.chat({ messages, responseFormat: { type: 'json_object' } }).object).toEqualTypeOf<
    Promise<JsonObject>
  >();
  expectTypeOf(model.chat({ messages }).object).toEqualTypeOf<Promise<JsonValue>>();
}

function allow<Name extends string>(name: Name) {
  return {
    type: 'allowed_tools',
    allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name } }] },
  } as const;
}

describe('answers', () => {
  const format = { type: 'json_schema', json_schema: { schema: Verdict } } as const;

  function answering(text: string, asked?: ResponseFormat): GeneratedChat {
    async function* generate(): AsyncGenerator<ResponseEvent, { role: 'assistant'; content: string }> {
      for (const [at, delta] of [...text].entries()) {
        yield { type: 'text-delta', id: 'text-0', delta, start: at, end: at + 1 };
      }
      return { role: 'assistant', content: text };
    }
    const nothing = { role: 'assistant', content: null } as const;
    return new GeneratedChat(
      generate(),
      () => nothing,
      async () => [],
      undefined,
      asked,
    );
  }

  it('are as the library of their schema makes them', async () => {
    expect(programs).toBeInstanceOf(Function);
    const { object } = answering('{"warm": true, "day": "2026-01-01"}', format);
    expect(await object).toEqual({ warm: true, day: new Date('2026-01-01') });
  });

  it('are told while they grow, and whole at the end', async () => {
    const chat = answering('{"warm": true, "day": "2026"}', format);
    const seen: unknown[] = [];
    for await (const part of chat.objects) seen.push(part);
    expect(seen.slice(0, 2)).toEqual([{}, { warm: true }]);
    expect(seen.at(-1)).toEqual({ warm: true, day: '2026' });
    expect(await chat.object).toEqual({ warm: true, day: new Date('2026') });
  });

  it('may be of any type, which their parts have, too', async () => {
    const kind = (value: unknown) =>
      Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
    const anything = { type: 'json_schema', json_schema: { name: 'any', schema: {} } } as const;
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 3 }), async (value) => {
        const text = JSON.stringify(value);
        const answer: unknown = JSON.parse(text);
        const seen: unknown[] = [];
        for await (const part of answering(text, anything).objects) seen.push(part);
        expect(seen.at(-1)).toEqual(answer);
        expect(new Set(seen.map(kind))).toEqual(new Set([kind(answer)]));
      }),
      { numRuns: 40 },
    );
  });

  it.each([
    ['a response that was cut', '{"warm": tr', format, /broke off .*maxTokens/],
    ['no response', '', format, /ended before it began.* maxTokens/],
    ['a value that the library refuses', '{"warm": 1, "day": "2026"}', format, /warm/],
    ['a response that was to be text', 'Hi', undefined, /responseFormat/],
  ])('%s is an error', async (_, text, asked, reason) => {
    await expect(answering(text, asked).object).rejects.toThrow(AnswerError);
    await expect(answering(text, asked).object).rejects.toThrow(reason);
  });

  it('a call in place of an answer is an error that says so', async () => {
    const call = { id: '1', type: 'function', function: { name: 'f', arguments: '{}' } } as const;
    const answer = readAnswer({ role: 'assistant', content: null, tool_calls: [call] }, format);
    await expect(answer).rejects.toThrow(/called a tool/);
  });

  it('are not told in parts where none was asked for', async () => {
    const parts = answering('Hi').objects[Symbol.asyncIterator]();
    await expect(parts.next()).rejects.toThrow(AnswerError);
  });
});
