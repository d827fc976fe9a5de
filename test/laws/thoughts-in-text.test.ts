/**
 * Law: where thoughts stay in the content, calls are what they are where thoughts are apart: as surely valid, and checked
 * while they are written.
 */
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ResponseMessage } from '../../src/parser/events.ts';
import { type ChatOptions, connectEngine } from '../../src/runtime/engine/index.ts';
import { scriptedEngine } from '../../src/testing/index.ts';

const even = z.object({
  n: z
    .number()
    .int()
    .refine((n) => n % 2 === 0, 'must be even'),
});
const plain = z.object({ n: z.number().int() });

const thoughts = {
  none: '',
  closed: '<think>\nIs it {"n": 3}?\n</think>\n\n',
  'with a call': '<think>\n<tool_call>\n{"name": "count", "arguments": {"n": 4}}\n</tool_call>\n</think>\n\n',
  'never closed': '<think>\nIs it 3? ',
};
const calls = {
  json: '<tool_call>\n{"name": "count", "arguments": {"n": 3}}\n</tool_call>',
  tags: '<tool_call>\n<function=count>\n<parameter=n>\n3\n</parameter>\n</function>\n</tool_call>',
};
const formats = ['json', 'tags'] as const;

describe.each(formats)('%s', (format) => {
  it.each(Object.entries(thoughts))('thoughts: %s', async (kind, written) => {
    // A call in thoughts that are text is told as a possible one, after which nothing is written anew.
    const schemas = kind === 'with a call' ? [plain] : [plain, even];
    for (const text of ['', 'I count.\n']) {
      const script = `${written}${text}${calls[format]}`;
      const model = await connectEngine(scriptedEngine({ format, turns: [{ script }] }));
      const answer = (options: Partial<ChatOptions>): Promise<ResponseMessage> =>
        model.chat({ messages: [{ role: 'user', content: 'Count.' }], maxTokens: 120, ...options }).message;
      for (const parameters of schemas)
        for (const toolChoice of ['auto', 'required'] as const) {
          const request = { tools: [{ name: 'count', parameters }], toolChoice };
          const apart = await answer(request);
          const together = await answer({ ...request, reasoningFormat: 'none' });
          expect(together.tool_calls).toEqual(apart.tool_calls);
          expect(together.reasoning_content).toBeUndefined();
        }
    }
  });
});

describe('an answer in JSON', () => {
  const schema = {
    type: 'object',
    properties: { l: { type: 'array', items: { type: 'string', maxLength: 2 }, uniqueItems: true } },
    required: ['l'],
    additionalProperties: false,
  } as const;
  const responseFormat = { type: 'json_schema', json_schema: { schema } } as const;
  const messages = [{ role: 'user', content: 'List.' }] as const;

  it.each([{ thinking: false }, { thinkingBudget: 0 }])(
    'is written again where %j leaves no thoughts in it',
    async (options) => {
      const turns = [{ script: '{"l": ["a", "a"]}' }];
      const model = await connectEngine(scriptedEngine({ format: 'json', turns }));
      const asked = { messages, responseFormat, maxTokens: 60, reasoningFormat: 'none', ...options } as const;
      const { content, malformed } = await model.chat(asked).message;
      expect(malformed).toBeUndefined();
      // An engine may write empty thoughts first.
      const answer = content?.split('</think>').at(-1) ?? '';
      const { l } = JSON.parse(answer) as { readonly l: readonly string[] };
      expect(new Set(l).size).toBe(l.length);
    },
  );
});
