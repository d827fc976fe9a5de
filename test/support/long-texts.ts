/**
 * Texts without a break, of one class of characters each, as regular expressions of tokenizers tell them apart, and
 * the ways by which a text reaches a tokenizer.
 */
import type { ChatOptions } from '../../src/runtime/chat/chat-options.ts';

/** A character of each class, or a few that are repeated. */
export const unbroken: ReadonlyMap<string, string> = new Map([
  ['one letter', 'n'],
  ['letters', 'thequickbrownfoxjumpsoverthelazydog'],
  ['digits', '3141592653589793238462643383279'],
  ['CJK', '天地玄黄宇宙洪荒日月盈昃'],
  ['base64', 'aGVsbG8gd29ybGQ/IT09K1/bm90aGlu'],
  ['dashes', '-'],
  ['punctuation', '!?.,;:(){}[]<>'],
  ['spaces', ' '],
  ['lines', '\n'],
  ['white space', ' \t\u3000\u00a0\n'],
  ['emoji', '🙂🎉'],
  ['combining marks', 'e\u0301\u0302'],
  ['letters and digits', 'a1B2c3'],
  ['NUL', '\0'],
]);

/** A text of that class and about that length. */
export function unbrokenText(kind: string, length: number): string {
  const piece = unbroken.get(kind) ?? kind;
  return piece.repeat(Math.ceil(length / piece.length));
}

const question = { role: 'user', content: 'Hello' } as const;
const call = (text: string) => ({
  role: 'assistant' as const,
  content: '',
  tool_calls: [
    {
      id: 'call00001',
      type: 'function' as const,
      function: { name: 'find', arguments: JSON.stringify({ text }) },
    },
  ],
});
const tool = (parameters: object, name = 'find', description = '') => ({
  messages: [question],
  tools: [{ type: 'function' as const, function: { name, description, parameters: { ...parameters } } }],
});
const property = (schema: object) => tool({ type: 'object', properties: { text: schema } });
const answer = (schema: object): ChatOptions => ({
  messages: [question],
  responseFormat: { type: 'json_schema', json_schema: { schema: { ...schema } } },
});

/** Ways by which a text reaches the tokenizer. */
export const doors: Readonly<Record<string, (text: string) => ChatOptions>> = {
  'a question': (content) => ({ messages: [{ role: 'user', content }] }),
  'a system message': (content) => ({ messages: [{ role: 'system', content }, question] }),
  'a result': (content) => ({
    messages: [question, call('a'), { role: 'tool', tool_call_id: 'call00001', content }],
  }),
  'arguments of an earlier call': (text) => ({
    messages: [question, call(text), { role: 'tool', tool_call_id: 'call00001', content: 'b' }],
  }),
  "a tool's name": (text) => tool({ type: 'object' }, text),
  "a tool's description": (text) => tool({ type: 'object' }, 'find', text),
  'an enum': (text) => property({ enum: [text, 'b'] }),
  'a const': (text) => property({ const: text }),
  "a property's name": (text) => tool({ type: 'object', properties: { [text]: { type: 'string' } } }),
  'a beginning of the answer': (content) => ({
    messages: [question, { role: 'assistant', content }],
    continueFinalMessage: true,
  }),
  'a forced text': (text) => answer({ const: text }),
  'a forced key': (text) =>
    answer({ type: 'object', properties: { [text]: { type: 'boolean' } }, required: [text] }),
  'a stop': (text) => ({ messages: [question], stop: [text] }),
};

/** Routes of a server that tokenise a text. */
export const routes: readonly string[] = [
  '/v1/chat/completions',
  '/v1/chat/completions/input_tokens',
  '/v1/messages/count_tokens',
  '/apply-template',
  '/v1/completions',
  '/v1/embeddings',
  '/tokenize',
];
