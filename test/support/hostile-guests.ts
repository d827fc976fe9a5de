/** Requests that cost a server much: schemas, texts, messages and bodies. Each is one request of the Chat Completions API. */

type Json = Readonly<Record<string, unknown>>;

/** One request. */
export interface HostileRequest {
  readonly path: string;
  /** Written when it is sent: some have 30 MB. */
  readonly body: () => string;
}

const count = <T>(length: number, make: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => make(index));
const named = (length: number, make: (index: number) => unknown): Json =>
  Object.fromEntries(count(length, (index) => [`p${index}`, make(index)]));
const about = (a: unknown): Json => ({ type: 'object', properties: { a }, required: ['a'] });
const closed = (properties: Json): Json => ({ type: 'object', properties, additionalProperties: false });
const text = { type: 'string' };
const question = { role: 'user', content: 'hello' };
const tool = (parameters: unknown, name = 'f'): Json => ({
  type: 'function',
  function: { name, parameters },
});

const chat = (fields: Json, path = '/v1/chat/completions'): HostileRequest => ({
  path,
  body: () => JSON.stringify({ messages: [question], max_tokens: 1, ...fields }),
});
const required = (parameters: unknown): HostileRequest =>
  chat({ tools: [tool(parameters)], tool_choice: 'required' });
/** An answer of this schema. */
export const answer = (schema: unknown): HostileRequest =>
  chat({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } });
/** An answer of this schema that is really written, by the likeliest tokens. */
const written = (schema: Json): HostileRequest =>
  chat({
    response_format: { type: 'json_schema', json_schema: { name: 'x', schema } },
    ...{ max_tokens: 2_000, temperature: 0, reasoning_effort: 'none' },
  });
const says = (content: string, path?: string): HostileRequest =>
  chat({ messages: [{ role: 'user', content }] }, path);
const raw = (body: () => string, path = '/v1/chat/completions'): HostileRequest => ({ path, body });

const completed = (prompt: string): string => JSON.stringify({ prompt, max_tokens: 1 });

const allOf = (length: number, pattern: (index: number) => string): Json =>
  about({ type: 'string', allOf: count(length, (index) => ({ pattern: pattern(index) })) });
const conditions = (length: number): Json => ({
  type: 'object',
  properties: named(length, () => text),
  allOf: count(length, (index) => ({
    if: { properties: { [`p${index}`]: { const: 'x' } }, required: [`p${index}`] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of schemas
    then: { required: [`p${(index + 1) % length}`] },
  })),
});
const million = 1_000_000;
const called = (written: string): Json => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: written } }],
});
const numbers = (length: number): string => `{"a":[${'1,'.repeat(length - 1)}1]}`;
const picture = (url: string): Json => ({ type: 'image_url', image_url: { url } });
const words = 'The weather in Bern is fine today, and tomorrow as well. ';
const chain = (length: number): Json => ({
  $ref: '#/$defs/d0',
  $defs: Object.fromEntries(
    count(length, (index) => [
      `d${index}`,
      index === length - 1
        ? text
        : { type: 'object', properties: { next: { $ref: `#/$defs/d${index + 1}` } } },
    ]),
  ),
});

const cutDeep = { name: 'f', arguments: `{"a":${'['.repeat(500_000)}` };

/** By what they are. */
export const hostileRequests: ReadonlyMap<string, HostileRequest> = new Map<string, HostileRequest>([
  ['allOf of 12 patterns', required(allOf(12, (index) => `a.{${index}}b`))],
  ['allOf of 50 patterns', required(allOf(50, (index) => `a.{${index}}b`))],
  ['allOf of 100 patterns', required(allOf(100, (index) => `a.{${index}}b`))],
  ['allOf of 20 patterns of words', required(allOf(20, (index) => `(foo|bar){${index}}[a-z]+${index}`))],
  ['a product of five counters', required(allOf(5, (index) => `^([^a]*a){${index + 3}}[^a]*$`))],
  [
    'not one of 40 patterns',
    required(about({ ...text, not: { anyOf: count(40, (index) => ({ pattern: `x.{${index}}y` })) } })),
  ],
  ['200 if/then', required(conditions(200))],
  ['20 if/then', required(conditions(20))],
  [
    'oneOf of 60 open objects',
    required({ oneOf: count(60, (index) => ({ type: 'object', properties: { [`p${index}`]: text } })) }),
  ],
  [
    'oneOf of 300 open objects',
    required({ oneOf: count(300, (index) => ({ type: 'object', properties: { [`p${index}`]: text } })) }),
  ],
  [
    'oneOf of 300 objects with a kind',
    required({
      oneOf: count(300, (index) => ({
        type: 'object',
        properties: { kind: { const: `k${index}` }, [`p${index}`]: text },
        required: ['kind'],
      })),
    }),
  ],
  [
    'anyOf of 300 closed objects',
    required({ anyOf: count(300, (index) => closed({ [`p${index}`]: text })) }),
  ],
  [
    'anyOf of 300 open objects',
    answer({ anyOf: count(300, (index) => ({ type: 'object', properties: { [`p${index}`]: text } })) }),
  ],
  [
    '300 open properties',
    required({ type: 'object', properties: named(300, () => ({ type: 'object', properties: { a: text } })) }),
  ],
  ['an answer of 3,500 properties', answer(closed(named(3_500, () => text)))],
  [
    'a call of 3,500 required properties',
    required({ ...closed(named(3_500, () => text)), required: Object.keys(named(3_500, () => 0)) }),
  ],
  [
    'nested counters five times',
    required(closed(named(5, () => ({ ...text, pattern: '^([a-z]{1,30}|\\d+){1,100}(x|y|z)*[^a]{50}$' })))),
  ],
  ['an exponential pattern', required(about({ ...text, pattern: '(a|b)*a(a|b){18}c' }))],
  ['a pattern of 10,000 characters', required(about({ ...text, pattern: `^${'ab?c*'.repeat(2_000)}$` }))],
  [
    'a pattern with lengths',
    required(about({ ...text, pattern: '^(ab|c)*$', minLength: 3_000, maxLength: 9_000 })),
  ],
  [
    '1,000 tools',
    chat({
      tools: count(1_000, (index) =>
        tool(closed({ a: text, b: { type: 'integer' }, c: { enum: ['x', 'y'] } }), `tool_${index}`),
      ),
      tool_choice: 'required',
    }),
  ],
  [
    '1,000 tools, all different',
    chat({
      tools: count(1_000, (index) =>
        tool(
          closed({
            [`a${index}`]: { ...text, maxLength: index + 1 },
            b: { type: 'integer', maximum: index },
          }),
          `tool_${index}`,
        ),
      ),
    }),
  ],
  [
    '120 tools of 30 properties',
    chat({
      tools: count(120, (index) =>
        tool(closed(named(30, (at) => ({ ...text, maxLength: index + at }))), `tool_${index}`),
      ),
    }),
  ],
  ['an enum of 20,000 texts', required(about({ enum: count(20_000, (index) => `value ${index * 7919}`) }))],
  ['a const of 1 MB', required(about({ const: words.repeat(18_000) }))],
  ['references, 8,000 deep', required(chain(8_000))],
  ['references, 1,000 deep', required(chain(1_000))],
  ['objects 150 deep', required(count(150, () => 0).reduce<unknown>((inner) => about(inner), text))],
  [
    'numbers that must be multiples',
    required(
      closed(
        named(30, (index) => ({
          type: 'number',
          multipleOf: 0.1 * (index + 7),
          minimum: -12_345.678,
          maximum: 98_765.4321,
        })),
      ),
    ),
  ],
  [
    'allOf of 30 multiples',
    required(
      about({
        type: 'integer',
        allOf: count(30, (index) => ({ multipleOf: index + 2 })),
        minimum: 1,
        maximum: 10 ** 15,
      }),
    ),
  ],
  [
    '60 dependent schemas',
    required({
      type: 'object',
      properties: named(60, () => text),
      dependentSchemas: named(60, (index) => ({ required: [`p${(index * 7) % 60}`] })),
    }),
  ],
  [
    '50 patterns of keys',
    required({
      type: 'object',
      patternProperties: Object.fromEntries(
        count(50, (index) => [`k.{${index}}z`, { type: 'string', maxLength: index + 1 }]),
      ),
    }),
  ],
  [
    'names of 200 keys',
    required({
      type: 'object',
      propertyNames: { pattern: '^[a-z]{3,12}$' },
      minProperties: 20,
      required: count(
        200,
        (index) => `key${'abcdefghij'[index % 10]}${'klmnopqrst'[Math.floor(index / 10) % 10]}`,
      ),
    }),
  ],
  [
    'unevaluated properties in 80 branches',
    required({
      type: 'object',
      anyOf: count(80, (index) => ({ properties: { [`p${index}`]: text }, required: [`p${index}`] })),
      unevaluatedProperties: false,
    }),
  ],
  [
    '100 contains',
    required(
      about({ type: 'array', allOf: count(100, (index) => ({ contains: { const: index } })), maxItems: 200 }),
    ),
  ],
  [
    'unique items of an enum',
    required(
      about({ type: 'array', items: { enum: count(200, (index) => index) }, uniqueItems: true, minItems: 5 }),
    ),
  ],
  [
    '20 formats with lengths',
    required(
      closed(
        named(20, (index) => ({
          ...text,
          format: ['date-time', 'uuid', 'email', 'uri', 'ipv6'][index % 5],
          minLength: index,
          maxLength: 40 + index,
        })),
      ),
    ),
  ],
  [
    'anyOf within anyOf',
    required(
      count(12, (index) => index).reduce<unknown>(
        (inner, index) => ({
          anyOf: [{ ...closed({ [`a${index}`]: inner }) }, { ...closed({ [`b${index}`]: inner }) }, text],
        }),
        text,
      ),
    ),
  ],
  [
    'allOf of 400 objects',
    required({
      allOf: count(400, (index) => ({
        type: 'object',
        properties: { [`p${index}`]: { ...text, minLength: index } },
      })),
    }),
  ],
  [
    'a tree of 40 kinds',
    required({
      $ref: '#/$defs/k0',
      $defs: Object.fromEntries(
        count(40, (index) => [
          `k${index}`,
          { type: 'object', properties: named(10, (at) => ({ $ref: `#/$defs/k${(index * 3 + at) % 40}` })) },
        ]),
      ),
    }),
  ],
  [
    'a description of 8 MB',
    chat({
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: words.repeat(140_000), parameters: about(text) },
        },
      ],
    }),
  ],
  ['a text of 1 MB', says(words.repeat(18_000))],
  ['a text of 8 MB', says(words.repeat(140_000))],
  ['a text of 8 MB, counted', says(words.repeat(140_000), '/v1/chat/completions/input_tokens')],
  ['a text of 8 MB, rendered', says(words.repeat(140_000), '/apply-template')],
  ['a letter, 8 million times', says('n'.repeat(8 * million))],
  ['a text that fills the context', says(words.repeat(3_000))],
  ['a text that fills the context, counted', says(words.repeat(3_000), '/v1/chat/completions/input_tokens')],
  ['a text that fills the context, rendered', says(words.repeat(3_000), '/apply-template')],
  [
    'a text that fills the context, tokenised',
    { path: '/tokenize', body: () => JSON.stringify({ content: words.repeat(3_000) }) },
  ],
  [
    'a text that fills the context, to complete',
    { path: '/v1/completions', body: () => completed(words.repeat(3_000)) },
  ],
  [
    'a tool of 200,000 values that nobody may call',
    chat({
      tools: [tool(about({ enum: count(200_000, (index) => index) }))],
      tool_choice: 'none',
    }),
  ],
  [
    'a tool of 60,000 objects that nobody may call',
    chat({
      tools: [tool(about({ enum: count(60_000, (index) => ({ a: index })) }))],
      tool_choice: 'none',
    }),
  ],
  [
    'a tool of 200,000 numbers in a spelling of their own',
    raw(() => {
      const tools = JSON.stringify([tool(about({ enum: ['numbers'] }))]);
      const numbers = '1.0,'.repeat(199_000);
      return `{"messages":[{"role":"user","content":"hello"}],"tool_choice":"none","tools":${tools.replace('"numbers"', `${numbers}1.0`)}}`;
    }),
  ],
  [
    'a tool of 40,000 bounds',
    chat({
      tools: [tool(about({ anyOf: count(40_000, () => ({ maximum: Number.MAX_SAFE_INTEGER })) }))],
      tool_choice: 'none',
    }),
  ],
  [
    'a description of 9 million line breaks',
    chat({
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: '\n'.repeat(9 * million), parameters: about(text) },
        },
      ],
    }),
  ],
  ['60,000 markers', says('<|im_end|><think>'.repeat(60_000))],
  [
    '10,000 messages',
    chat({
      messages: count(10_000, (index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: 'hello',
      })),
    }),
  ],
  [
    '100,000 messages',
    chat({
      messages: count(100_000, (index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content: 'hello',
      })),
    }),
  ],
  [
    '2,000 results',
    chat({
      messages: [
        question,
        ...count(2_000, (index) => [
          {
            role: 'assistant',
            content: '',
            tool_calls: [
              { id: `call_${index}`, type: 'function', function: { name: 'f', arguments: '{"a":"b"}' } },
            ],
          },
          { role: 'tool', tool_call_id: `call_${index}`, content: 'x' },
        ]).flat(),
      ],
    }),
  ],
  [
    'arguments of 4 MB',
    chat({
      messages: [
        question,
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            {
              id: 'c',
              type: 'function',
              function: { name: 'f', arguments: JSON.stringify({ a: words.repeat(70_000) }) },
            },
          ],
        },
        { role: 'tool', tool_call_id: 'c', content: 'x' },
      ],
    }),
  ],
  [
    'arguments of 2,000,000 numbers',
    chat({
      messages: [question, called(numbers(2 * million)), { role: 'tool', tool_call_id: 'a', content: 'x' }],
    }),
  ],
  [
    'arguments of 240,000 numbers',
    chat({
      messages: [question, called(numbers(240_000)), { role: 'tool', tool_call_id: 'a', content: 'x' }],
    }),
  ],
  [
    'arguments of 240,000 numbers in a spelling of their own',
    chat({
      messages: [
        question,
        called(numbers(240_000).replaceAll('1', '1.0')),
        { role: 'tool', tool_call_id: 'a', content: 'x' },
      ],
    }),
  ],
  [
    'arguments that were cut after 240,000 numbers',
    chat({ messages: [question, called(numbers(240_000).slice(0, -2))] }),
  ],
  [
    'input of 200,000 numbers',
    raw(() => {
      const input = numbers(200_000).replaceAll('1', '1.0');
      const call = `{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":${input}}}]}`;
      return `{"messages":[{"role":"user","content":"hello"},${call}]}`;
    }, '/api/chat'),
  ],
  ['a choice of 50,000 texts', chat({ guided_choice: count(50_000, (index) => `value ${index * 7919}`) })],
  [
    'a call that was cut 500,000 deep',
    chat({ messages: [question, { role: 'assistant', tool_calls: [{ id: 'c', function: cutDeep }] }] }),
  ],
  [
    'an item that was cut 500,000 deep',
    chat({ input: [question, { type: 'function_call', call_id: 'c', ...cutDeep }] }, '/v1/responses'),
  ],
  ['60,000 turns of one side', chat({ messages: count(60_000, () => question) }, '/v1/messages')],
  ['30 MB of empty objects', raw(() => `{"messages":[],"x":[${'{},'.repeat(10 * million)}{}]}`)],
  [
    '900,000 values',
    raw(() => JSON.stringify({ messages: [question], max_tokens: 1, x: count(440_000, () => ({})) })),
  ],
  ['a million fields', raw(() => `{"messages":[],${count(million, (index) => `"f${index}":0`).join()}}`)],
  [
    '900 fields of 30 kB',
    raw(() =>
      JSON.stringify({
        messages: [question],
        max_tokens: 1,
        ...Object.fromEntries(count(900, (index) => [`f${index}`, 'x'.repeat(30_000)])),
      }),
    ),
  ],
  [
    'a picture of 16 MB',
    chat({
      messages: [
        {
          role: 'user',
          content: [picture(`data:image/png;base64,${'aGVs'.repeat(4 * million)}`)],
        },
      ],
    }),
  ],
  ...['a', '\\"'].map((part): [string, HostileRequest] => [
    `a name of 100 kB, of ${part}`,
    answer({ type: 'object', properties: { city: text }, required: [part.repeat(100_000 / part.length)] }),
  ]),
  ...['{', '[a', '{"a":'].map((part): [string, HostileRequest] => [
    `cut arguments of ${part}`,
    chat({ messages: [question, called(part.repeat(100_000 / part.length))] }),
  ]),
  [
    'a picture of white space',
    chat({
      messages: [{ role: 'user', content: [picture(`data:image/png;base64,${' '.repeat(million)}!`)] }],
    }),
  ],
  [
    'an address without its data',
    chat({ messages: [{ role: 'user', content: [picture(`data:${'4'.repeat(million)}`)] }] }),
  ],
  [
    '30 MB of escapes',
    raw(() => `{"messages":[{"role":"user","content":"${'\\u0041'.repeat(5 * million)}"}]}`),
  ],
  ['20,000 stops', chat({ stop: count(20_000, (index) => `stop ${index}`) })],
  [
    '100,000 biased tokens',
    chat({ logit_bias: Object.fromEntries(count(100_000, (index) => [String(index), 1])) }),
  ],
  [
    'a text of 8 MB, tokenised',
    { path: '/tokenize', body: () => JSON.stringify({ content: words.repeat(140_000) }) },
  ],
  [
    '900,000 tokens',
    { path: '/detokenize', body: () => JSON.stringify({ tokens: count(900_000, () => 5) }) },
  ],
  ['a text of 1 MB to complete', { path: '/v1/completions', body: () => completed(words.repeat(18_000)) }],
  ['a text of 8 MB to complete', { path: '/v1/completions', body: () => completed(words.repeat(140_000)) }],
  [
    'a text of 1 MB to embed',
    { path: '/v1/embeddings', body: () => JSON.stringify({ input: words.repeat(18_000) }) },
  ],
  [
    '2,000 texts to embed',
    { path: '/v1/embeddings', body: () => JSON.stringify({ input: count(2_000, () => words.repeat(20)) }) },
  ],
  ...['email', 'uri', 'hostname', 'regex', 'duration', 'ipv6', 'json-pointer', 'date-time'].map(
    (format) => [`a written ${format}`, written({ type: 'string', format, maxLength: 60_000 })] as const,
  ),
  ['a written text', written({ type: 'string', minLength: 20_000 })],
  [
    'a written text of a pattern',
    written({ type: 'string', pattern: '^([a-z]{1,30} ?){1,500}$', minLength: 9_000 }),
  ],
  [
    'a written list of unique numbers',
    written({ type: 'array', items: { type: 'integer' }, uniqueItems: true, minItems: 900 }),
  ],
  [
    'a written object of other keys',
    written({ type: 'object', minProperties: 300, additionalProperties: { type: 'integer' } }),
  ],
  ['an answer of 190,000 values', answer({ enum: count(190_000, (index) => index) })],
  ['an answer of 90,000 objects', answer({ enum: count(90_000, (index) => ({ a: index })) })],
  ['an answer of one text of 8 MB', answer({ const: words.repeat(140_000) })],
  [
    'an answer of 1 MB to go on',
    chat({ messages: [question, { role: 'assistant', content: words.repeat(18_000) }] }),
  ],
]);
