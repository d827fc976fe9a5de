/** Laws of the options of a call of the AI SDK: what is given reaches the chat, and nothing that is not. */
import type { LanguageModelV3CallOptions } from '@ai-sdk/provider';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readOptions } from '../../src/ai-sdk/read-options.ts';

const numRuns = process.env.LAWS === 'long' ? 5_000 : 100;
type CallOptions = LanguageModelV3CallOptions & { readonly reasoning?: string };

const user: CallOptions['prompt'][number] = { role: 'user', content: [{ type: 'text', text: 'Hi' }] };
const prompts = fc.constantFrom<CallOptions['prompt']>(
  [user],
  [{ role: 'system', content: 'Be nice.' }, user],
  [user, { role: 'system', content: 'Later.' }],
  [],
);
const schema = { type: 'object', properties: { SECRET: { type: 'string' } } } as const;

type Given = Partial<Record<keyof CallOptions, unknown>>;

const read = (options: Given) => readOptions({ prompt: [user], ...options } as CallOptions);

describe('the demand for JSON', () => {
  it('stands in the first system message, and all others stay', () => {
    const formats = fc.record(
      { name: fc.constant('NAME'), description: fc.constant('PURPOSE'), schema: fc.constant(schema) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(prompts, formats, (prompt, format) => {
        const plain = read({ prompt }).chat.messages;
        const { messages } = read({ prompt, responseFormat: { type: 'json', ...format } }).chat;
        const isSystem = plain[0]?.role === 'system';
        const [first, ...rest] = messages;
        expect(rest).toEqual(isSystem ? plain.slice(1) : plain);
        expect(first?.role).toBe('system');
        const text = String(first?.content);
        if (isSystem) expect(text.startsWith(`${plain[0]?.content}\n\n`)).toBe(true);
        expect(text).toMatch(/JSON/);
        expect(text).not.toMatch(/undefined/);
        expect(text.includes(' "NAME"')).toBe(format.name !== undefined);
        expect(text.includes(' (PURPOSE)')).toBe(format.description !== undefined);
        expect(text.includes(JSON.stringify(schema))).toBe(format.schema !== undefined);
      }),
      { numRuns },
    );
  });

  it('is enforced: the schema, or any object without one', () => {
    expect(read({ responseFormat: { type: 'json' } }).chat.responseFormat).toEqual({ type: 'json_object' });
    expect(read({ responseFormat: { type: 'json', schema } }).chat.responseFormat).toEqual({
      type: 'json_schema',
      json_schema: { schema },
    });
    for (const format of [{ type: 'text' } as const, undefined]) {
      const { chat } = read({ responseFormat: format });
      expect(chat).not.toHaveProperty('responseFormat');
      expect(chat.messages).toEqual(read({}).chat.messages);
    }
  });
});

describe('an option of a call', () => {
  it('is one of the chat just if it is given', () => {
    const given = fc.record(
      {
        maxOutputTokens: fc.constant(7),
        temperature: fc.constantFrom(0, 1.5),
        topK: fc.constant(3),
        topP: fc.constantFrom(0, 0.5),
        seed: fc.constantFrom(0, 9),
        stopSequences: fc.constantFrom([], ['a'], ['', 'b', '']),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(given, ({ maxOutputTokens, stopSequences, ...same }) => {
        const { messages: _, ...chat } = read({ maxOutputTokens, stopSequences, ...same }).chat;
        expect(chat).toEqual({
          ...same,
          ...(maxOutputTokens === undefined ? {} : { maxTokens: maxOutputTokens }),
          // An empty text would stop before the first token.
          ...(stopSequences === undefined ? {} : { stop: stopSequences.filter((text) => text !== '') }),
        });
      }),
      { numRuns },
    );
  });

  it('of the provider comes after the effort, and before those of the call', () => {
    const of = (options: Given) => read(options).chat;
    expect(of({ reasoning: 'provider-default' })).toEqual(of({}));
    expect(of({ reasoning: 'none' })).not.toEqual(of({}));
    const own = { maxTokens: 1, thinkingBudget: 5 };
    expect(of({ providerOptions: { idiolect: own }, maxOutputTokens: 9 })).toMatchObject({
      ...own,
      maxTokens: 9,
    });
    expect(of({ providerOptions: { idiolect: own } })).toMatchObject(own);
  });

  it('for tools offers functions, tells of others, and chooses among them', () => {
    const inputSchema = { type: 'object' } as const;
    const functions = [
      { type: 'function', name: 'a', inputSchema },
      { type: 'function', name: 'b', description: 'B', inputSchema },
    ] as const;
    const ofProvider = { type: 'provider', id: 'x.y', name: 'y', args: {} } as const;
    const { chat, warnings } = read({ tools: [...functions, ofProvider], toolChoice: { type: 'required' } });
    expect(chat.tools).toEqual([
      { type: 'function', function: { name: 'a', parameters: inputSchema } },
      { type: 'function', function: { name: 'b', description: 'B', parameters: inputSchema } },
    ]);
    expect(chat.toolChoice).toBe('required');
    expect(warnings).toEqual([{ type: 'unsupported', feature: expect.stringContaining('x.y') }]);
    const chosen = read({ tools: [...functions], toolChoice: { type: 'tool', toolName: 'b' } }).chat;
    expect(chosen.toolChoice).toEqual({ type: 'function', function: { name: 'b' } });
    expect(read({ tools: [...functions] }).chat).not.toHaveProperty('toolChoice');
    for (const tools of [[], [ofProvider]])
      expect(read({ tools, toolChoice: { type: 'required' } }).chat).toEqual(read({}).chat);
  });
});
