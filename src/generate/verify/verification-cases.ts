/** The messages for which laws are verified: the kinds of text, values and calls that models write. */

import type { ChatFormat } from '../../format/chat-format.ts';
import type { AssistantMessage, JsonObject, JsonValue, Tool } from '../../format/messages.ts';
import { withoutUndefined } from '../../format/option-rules.ts';
import { turnLayout } from '../../layout/turn-layout.ts';
import { writeCalls } from '../../layout/write-response.ts';

/** A message, and what it exemplifies. */
export interface VerificationCase {
  readonly name: string;
  readonly message: AssistantMessage;
}

/** A call as the cases describe it. */
interface Call {
  readonly name: string;
  readonly arguments: JsonObject;
}

function tool(name: string, properties: JsonObject, required: readonly string[] = []): Tool {
  const described = Object.entries(properties).map(([key, schema]) => [
    key,
    { ...(schema as JsonObject), description: `The ${key}.` },
  ]);
  return {
    type: 'function',
    function: {
      name,
      description: `The function ${name}.`,
      parameters: {
        type: 'object',
        properties: Object.fromEntries(described),
        required: [...required],
        additionalProperties: false,
      },
    },
  };
}

const nestedSchema: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    flags: { type: 'array', items: { type: 'boolean' } },
    inner: {
      type: 'object',
      properties: { depth: { type: 'integer' }, note: { type: ['string', 'null'] } },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
};

/** One tool per kind of argument; one name is a prefix of another; one tool has no arguments. */
export const verificationTools: readonly Tool[] = [
  tool('get_weather', { city: { type: 'string' }, days: { type: 'integer' } }, ['city']),
  tool('get_weather_forecast', { city: { type: 'string' } }, ['city']),
  tool('set_number', { value: { type: 'number' } }),
  tool('set_flag', { value: { type: 'boolean' } }),
  tool('set_note', { value: { type: ['string', 'null'] } }),
  tool('set_list', { value: { type: 'array', items: { type: ['string', 'integer', 'null'] } } }),
  tool('set_object', { value: nestedSchema }),
  tool('set_three', { text: { type: 'string' }, count: { type: 'integer' }, exact: { type: 'boolean' } }, [
    'text',
  ]),
  tool('list_files', {}),
];

/**
 * The same tools with one type per parameter: some templates describe tools by recursion over types, which never ends
 * for a list of types with `null`.
 */
export const plainVerificationTools: readonly Tool[] = verificationTools.map((each) => ({
  ...each,
  function: {
    ...each.function,
    parameters: withSingleTypes(each.function.parameters as JsonObject) as JsonObject,
  },
}));

function withSingleTypes(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withSingleTypes);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, item]): [string, JsonValue] => [
    key,
    key === 'type' && Array.isArray(item) ? (item[0] ?? 'string') : withSingleTypes(item),
  ]);
  return Object.fromEntries(entries);
}

const texts: Readonly<Record<string, string>> = {
  plain: 'Paris',
  quotes: `say "yes" or 'no'`,
  newlines: 'first line\nsecond line\n\nfourth',
  unicode: 'Zürich 東京 😀 naïve',
  'angle brackets': 'if a < b && c > d then <b>bold</b>',
  braces: 'function f() { return [1, {x: 2}]; }',
  backslash: 'C:\\temp\\new',
  blanks: '  padded  ',
  empty: '',
  'looks like a number': '42',
  'looks like a boolean': 'true',
  'looks like an object': '{"a": 1}',
  'looks like a list': '[1, 2]',
};

const values: Readonly<Record<string, Call>> = {
  'no argument': call('list_files', {}),
  'an optional argument left out': call('get_weather', { city: 'Oslo' }),
  'two arguments': call('get_weather', { city: 'Oslo', days: 3 }),
  'three arguments': call('set_three', { text: 'abc', count: 0, exact: false }),
  'a longer name': call('get_weather_forecast', { city: 'Oslo' }),
  'a negative integer': call('get_weather', { city: 'Oslo', days: -12 }),
  'a fraction': call('set_number', { value: 3.25 }),
  true: call('set_flag', { value: true }),
  false: call('set_flag', { value: false }),
  null: call('set_note', { value: null }),
  'an empty list': call('set_list', { value: [] }),
  'a list': call('set_list', { value: ['a', 7, 'x "y"'] }),
  'an empty object': call('set_object', { value: {} }),
  'a nested object': call('set_object', {
    value: { name: 'n "q"', flags: [true, false], inner: { depth: 2, note: 'z' } },
  }),
};

function call(name: string, args: JsonObject): Call {
  return { name, arguments: args };
}

function message(parts: {
  readonly content?: string;
  readonly reasoning?: string;
  readonly calls?: readonly Call[];
}): AssistantMessage {
  return {
    role: 'assistant',
    content: parts.content ?? '',
    ...withoutUndefined({ reasoning_content: parts.reasoning, tool_calls: parts.calls?.map(toolCall) }),
  };
}

/** Ids of nine letters and digits, which every template accepts. */
function toolCall({ name, arguments: args }: Call, index: number) {
  const json: JsonValue = args;
  return {
    id: `call0000${index + 1}`,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(json) },
  };
}

const oslo = call('get_weather', { city: 'Oslo', days: 3 });
const rome = call('get_weather_forecast', { city: 'Rome' });
const flag = call('set_flag', { value: true });

/** All cases. */
export const verificationCases: readonly VerificationCase[] = [
  { name: 'content', message: message({ content: 'The weather is fine.' }) },
  {
    name: 'content with markup',
    message: message({ content: 'Use <b>, {x}, [1] and "q".\n\n```js\nf();\n```' }),
  },
  { name: 'reasoning and content', message: message({ reasoning: 'Think, then speak.', content: 'Done.' }) },
  {
    name: 'reasoning of several lines',
    message: message({ reasoning: 'One.\n\nTwo: a < b, {c}.', content: 'Done.' }),
  },
  ...Object.entries(texts).map(([name, text]) => ({
    name: `a string, ${name}`,
    message: message({ calls: [call('get_weather', { city: text })] }),
  })),
  ...Object.entries(values).map(([name, each]) => ({ name, message: message({ calls: [each] }) })),
  { name: 'two calls', message: message({ calls: [oslo, rome] }) },
  { name: 'three calls', message: message({ calls: [oslo, rome, flag] }) },
  { name: 'the same call twice', message: message({ calls: [oslo, oslo] }) },
  {
    name: 'a call without arguments, then another',
    message: message({ calls: [call('list_files', {}), oslo] }),
  },
  { name: 'content and a call', message: message({ content: 'Let me look.', calls: [oslo] }) },
  { name: 'reasoning and a call', message: message({ reasoning: 'I need a tool.', calls: [oslo] }) },
  { name: 'reasoning and two calls', message: message({ reasoning: 'I need two.', calls: [oslo, rome] }) },
  {
    name: 'reasoning, content and a call',
    message: message({ reasoning: 'I need a tool.', content: 'Let me look.', calls: [oslo] }),
  },
];

/** Calls with a string that quotes a call as the format writes it, as a coding agent's files may. */
export function quotingCases(format: ChatFormat): readonly VerificationCase[] {
  const { calls } = turnLayout(format);
  if (calls === null) return [];
  const quoted = writeCalls(calls, [toolCall(rome, 0)]).trim();
  const end = quoted.slice(quoted.lastIndexOf('Rome') + 'Rome'.length);
  const quotations = {
    'a call': quoted,
    'a call in a code span': `Write \`${quoted}\`, then stop.`,
    'the end of a call': `It ends with ${end}, as said.`,
  };
  return Object.entries(quotations).map(([name, text]) => ({
    name: `a string, ${name}`,
    message: message({ calls: [call('get_weather', { city: text })] }),
  }));
}

/** Calls whose arguments are in another order than in the schema: parsed alike, not written alike. */
export const swappedCase: VerificationCase = {
  name: 'arguments in another order',
  message: message({ calls: [call('set_three', { exact: true, count: 5, text: 'abc' })] }),
};
