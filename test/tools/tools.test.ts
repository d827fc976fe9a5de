/** Tools in the shapes that people have them in, and what the compiler knows of their calls. */
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import { ToolListError } from '../../src/format/errors.ts';
import type { JsonObject, Tool } from '../../src/format/messages.ts';
import { finish } from '../../src/language/expression/steps.ts';
import { ChatDeltas, foldEvents } from '../../src/parser/assistant-message.ts';
import type { AnyResponseEvent, ResponseEvent, ToolCallEvent } from '../../src/parser/events.ts';
import { eventLog } from '../../src/testing/event-log.ts';
import type { SchemaValue } from '../../src/tools/schema-value.ts';
import {
  type ChatEvent,
  defineTool,
  findTool,
  normalizeTools,
  normalizeToolsSteps,
  schemaOf,
  type ToolCallOf,
  type ToolInput,
  type ToolList,
} from '../../src/tools/tools.ts';

const parameters = {
  type: 'object',
  properties: {
    city: { type: 'string', minLength: 1 },
    unit: { enum: ['celsius', 'fahrenheit'] },
    days: { type: 'integer' },
  },
  required: ['city', 'unit'],
  additionalProperties: false,
} as const;

const openAi = { type: 'function', function: { name: 'weather', description: 'd', parameters } } as const;
const mcp = { name: 'weather', description: 'd', inputSchema: parameters } as const;
const ofZod = defineTool({
  name: 'remind',
  description: 'd',
  parameters: z.strictObject({ text: z.string(), in: z.number().default(5) }),
  execute: ({ text, in: minutes }) => `${text} ${minutes.toFixed()}`,
});

describe('lists of tools', () => {
  const plain: Tool = { type: 'function', function: { name: 'weather', description: 'd', parameters } };

  it.each<readonly [string, ToolList]>([
    ['in the shape of OpenAI', [openAi]],
    ['as an MCP server lists them', [{ ...mcp, annotations: { readOnlyHint: true } } as typeof mcp]],
    ['as an MCP client returns the list', { tools: [mcp] }],
    ['with parameters next to the name', [{ name: 'weather', description: 'd', parameters }]],
    ['with something to execute', [{ ...openAi, execute: () => 'cold' }]],
  ])('%s', (_, list) => {
    expect(normalizeTools(list)).toEqual([plain]);
  });

  it('are the same objects where nothing has to change', () => {
    const [same] = normalizeTools([openAi]);
    expect(same).toBe(openAi);
  });

  it('take schemas of a validation library', () => {
    const [tool] = normalizeTools([ofZod]);
    expect(tool?.function).toMatchObject({
      name: 'remind',
      parameters: {
        type: 'object',
        properties: { text: { type: 'string' }, in: { type: 'number' } },
        required: ['text'],
        additionalProperties: false,
      },
    });
    expect(JSON.parse(JSON.stringify(tool))).toEqual(tool);
  });

  it('may be empty', () => {
    expect(normalizeTools([])).toEqual([]);
    expect(normalizeTools({ tools: [] })).toEqual([]);
  });

  it.each<readonly [string, unknown]>([
    ['null', null],
    ['a tool without a name', { type: 'function', function: { description: 'd' } }],
    ['a schema that is a text', { name: 'a', parameters: 'string' }],
    ['a schema that is a list', { type: 'function', function: { name: 'a', parameters: [] } }],
    ['an empty name', { name: '' }],
    ["an empty name in OpenAI's shape", { type: 'function', function: { name: '' } }],
    ["a name that is no text in OpenAI's shape", { type: 'function', function: { name: 7 } }],
    ["the schema under another library's name", { name: 'a', schema: z.strictObject({}) }],
    ['parameters with a slip', { name: 'a', paramters: parameters }],
    ['parameters in another spelling', { name: 'a', inputschema: parameters }],
    ['parameters under a wrong name', { type: 'function', function: { name: 'a', args: parameters } }],
  ])('are refused with %s', (_, tool) => {
    expect(() => normalizeTools([tool] as unknown as ToolList)).toThrow(ToolListError);
  });
});
describe('a tool of a list', () => {
  /** The same tool in each shape, and its schema as given. */
  const shapes: readonly (readonly [shape: string, tool: ToolInput, schema: unknown])[] = [
    ['of OpenAI', openAi, parameters],
    ['of MCP', mcp, parameters],
    ['with parameters', { name: 'weather', description: 'd', parameters }, parameters],
    ['of a library', { ...ofZod, name: 'weather' }, ofZod.parameters],
    ['without a schema', { name: 'weather', description: 'd' }, undefined],
    ['of OpenAI without a schema', { type: 'function', function: { name: 'weather' } }, undefined],
  ];

  it.each(shapes)('%s is found by its name, and keeps its schema', (_, tool, schema) => {
    const others: ToolInput[] = [{ name: 'other' }, { type: 'function', function: { name: 'third' } }];
    for (const list of [[...others, tool], { tools: [tool, ...others] }]) {
      expect(findTool(list, 'weather')).toBe(tool);
      expect(findTool(list, 'nothing')).toBe(undefined);
    }
    expect(schemaOf(tool)).toBe(schema);
  });

  it.each(shapes)('%s is the same in steps, alone and among others', (_, tool) => {
    const other = { ...openAi, function: { ...openAi.function, name: 'other' } };
    for (const list of [[tool], [other, tool], [tool, { name: 'third' }], { tools: [tool] }]) {
      expect(finish(normalizeToolsSteps(list))).toEqual(normalizeTools(list));
    }
  });

  it('stays the same object, and so does the list, just where nothing has to change', () => {
    const list: readonly Tool[] = [openAi, { type: 'function', function: { name: 'b' } }];
    expect(normalizeTools(list)).toBe(list);
    expect(normalizeTools({ tools: list })).toBe(list);
    for (const schema of [true, false])
      expect(
        normalizeTools([openAi, { type: 'function', function: { name: 'c', parameters: schema } }])[0],
      ).toBe(openAi);
    const dated = { type: 'object', properties: {}, description: undefined } as unknown as JsonObject;
    const changing: Tool = { type: 'function', function: { name: 'c', parameters: dated } };
    const [same, other] = normalizeTools([openAi, changing]);
    expect([same === openAi, other === changing]).toEqual([true, false]);
    expect(other).toEqual({
      type: 'function',
      function: { name: 'c', parameters: { type: 'object', properties: {} } },
    });
    // The schema that was made is made once.
    expect(normalizeTools([changing])[0]?.function.parameters).toBe(other?.function.parameters);
  });

  it('may have a description that is absent, and none that is no text', () => {
    const described = (description: unknown): Tool[] =>
      [{ type: 'function', function: { name: 'a', description } }] as Tool[];
    expect(normalizeTools(described('d'))[0]?.function.description).toBe('d');
    expect(normalizeTools(described(null))).toHaveLength(1);
    expect(() => normalizeTools(described(5))).toThrow(ToolListError);
    expect(() => normalizeTools([...described('d'), ...described({})])).toThrow(ToolListError);
  });

  it('may have parameters that are absent', () => {
    const list = [{ type: 'function', function: { name: 'a', parameters: null } }] as unknown as Tool[];
    expect(normalizeTools(list)).toBe(list);
    expect(finish(normalizeToolsSteps(list))).toEqual(normalizeTools(list));
  });
});

describe('types of calls', () => {
  type Weather = {
    readonly city: string;
    readonly unit: 'celsius' | 'fahrenheit';
    readonly days?: number;
  };

  it('come from plain JSON Schema, of every shape of list', () => {
    type Calls<Tools extends ToolList> = ToolCallOf<Tools>['arguments'];
    expectTypeOf<Calls<readonly [typeof openAi]>>().toEqualTypeOf<Weather>();
    expectTypeOf<Calls<readonly [typeof mcp]>>().toEqualTypeOf<Weather>();
    expectTypeOf<Calls<{ readonly tools: readonly [typeof mcp] }>>().toEqualTypeOf<Weather>();
  });

  it('come from a library: what the model writes, and what execute gets', () => {
    type Arguments = ToolCallOf<readonly [typeof ofZod]>['arguments'];
    expectTypeOf<Arguments>().toEqualTypeOf<{ text: string; in?: number }>();
    expectTypeOf<Parameters<typeof ofZod.execute>[0]>().toEqualTypeOf<{ text: string; in: number }>();
  });

  it('are narrowed by the name', () => {
    const read = (event: ChatEvent<readonly [typeof openAi, typeof ofZod]>): void => {
      if (event.type !== 'tool-call') return;
      expectTypeOf(event.toolName).toEqualTypeOf<'weather' | 'remind'>();
      if (event.toolName === 'weather') expectTypeOf(event.arguments).toEqualTypeOf<Weather>();
      else expectTypeOf(event.arguments.text).toEqualTypeOf<string>();
    };
    expect(read).toBeTypeOf('function');
  });

  it('of tools that the compiler does not know are any object', () => {
    type Event = Extract<ChatEvent<readonly Tool[]>, { type: 'tool-call' }>;
    expectTypeOf<Event['arguments']>().toEqualTypeOf<JsonObject>();
    expectTypeOf<Event['toolName']>().toEqualTypeOf<string>();
    expectTypeOf<Event>().toExtend<ToolCallEvent>();
  });

  it('of any tools are events that are folded and converted', () => {
    const optional = { name: 'a', parameters: z.object({ at: z.string().optional() }) } as const;
    const unknown = { name: 'b', parameters: z.object({ at: z.unknown() }) } as const;
    type Event = ChatEvent<readonly [typeof optional, typeof unknown, typeof ofZod]>;
    expectTypeOf<Event>().toExtend<AnyResponseEvent>();
    expectTypeOf<ResponseEvent>().toExtend<AnyResponseEvent>();
    expectTypeOf<Event>().toExtend<ResponseEvent>();
    const events: Event[] = [{ type: 'text-delta', id: 'text-0', delta: 'Hi', start: 0, end: 2 }];
    const converter = new ChatDeltas();
    expect(events.map((event) => converter.convert(event)?.delta)).toEqual([
      { role: 'assistant', content: 'Hi' },
    ]);
    expect(foldEvents(events).content).toBe('Hi');
    expect(eventLog(events)).toEqual(['0..2 text-delta "Hi"']);
  });

  it('are collected among those of other tools', () => {
    const tool = {
      name: 'c',
      parameters: z.object({
        list: z.array(z.object({ at: z.string().optional() })),
        pair: z.tuple([z.string(), z.number()]),
        map: z.record(z.string(), z.boolean()),
        either: z.union([z.literal('x'), z.null()]).optional(),
        any: z.any(),
      }),
    } as const;
    type Event = ChatEvent<readonly [typeof tool, typeof ofZod, typeof openAi]>;
    type Call = Extract<Event, { type: 'tool-call'; toolName: 'c' }>;
    expectTypeOf<Call['arguments']['list']>().toEqualTypeOf<{ at?: string }[]>();
    expectTypeOf<Call['arguments']['pair']>().toEqualTypeOf<[string, number]>();
    expectTypeOf<Call['arguments']['either']>().toEqualTypeOf<'x' | null | undefined>();
    expectTypeOf<'nowhere' extends keyof Call['arguments'] ? true : false>().toEqualTypeOf<false>();
    const collected: ResponseEvent[] = [];
    const collect = (event: Event): number => collected.push(event);
    expect(collect({ type: 'text-delta', id: 'text-0', delta: 'Hi', start: 0, end: 2 })).toBe(1);
  });

  it('say unions, lists, constants and nesting', () => {
    type Value = SchemaValue<{
      type: 'object';
      properties: {
        kind: { const: 'a' };
        note: { type: readonly ['string', 'null'] };
        tags: { type: 'array'; items: { type: 'boolean' } };
        either: { anyOf: readonly [{ type: 'integer' }, { type: 'string' }] };
        inner: { type: 'object'; properties: { x: { type: 'number' } }; required: readonly ['x'] };
      };
      required: readonly ['kind', 'note', 'tags', 'either', 'inner'];
    }>;
    expectTypeOf<Value>().toEqualTypeOf<{
      readonly kind: 'a';
      readonly note: string | null;
      readonly tags: readonly boolean[];
      readonly either: number | string;
      readonly inner: { readonly x: number };
    }>();
  });
});
