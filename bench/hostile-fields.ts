/**
 * Each text and each name in requests of each API, filled with texts that are made to be slow: prints those with which the
 * main thread computes for long without a turn of its event loop, in processor time, those that were given up after eight
 * seconds (499), and answers that are the server's fault. Bundled like `guests.ts`, for the thread that compiles schemas:
 *
 *     npx esbuild bench/hostile-fields.ts src/runtime/node-llama-cpp/ahead/schema-worker.ts --bundle --splitting \
 *       --platform=node --format=esm --packages=external --conditions=idiolect:source --outdir=.cache/guests --entry-names=[name]
 *     SIZE=100000 MINUTES=30 node .cache/guests/hostile-fields.js [pattern of paths and places]
 */
import { rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { isRecord } from '../src/format/option-rules.ts';
import { loadModel } from '../src/runtime/node-llama-cpp/index.ts';
import { createHandler } from '../src/serve/index.ts';
import { toyModel } from '../src/testing/index.ts';
import { watchTurns } from './main-thread.ts';

/** Milliseconds of a turn from which on it is printed. */
const long = 45;
/** Milliseconds after which a client leaves. */
const patience = 8_000;

const parameters = {
  type: 'object',
  title: 't',
  properties: {
    city: { type: 'string', description: 'x', enum: ['a', 'b'], pattern: '^a', default: 'a', const: 'a' },
    day: { type: 'string', format: 'date' },
    n: { type: 'number', minimum: 1 },
    r: { $ref: '#/$defs/q' },
  },
  required: ['city'],
  $defs: { q: { type: 'string', minLength: 1 } },
};
const tool = { name: 'get_time', description: 'd', parameters };
const written = '{"city": "a"}';
const picture = 'data:image/png;base64,aaaa';
const note = 'data:text/plain;base64,YWFh';
const question = { role: 'user', content: 'x' };

/** A request of each kind, by its path and what it is about. */
const requests: readonly (readonly [path: string, body: object])[] = [
  [
    '/v1/chat/completions',
    {
      messages: [
        { role: 'system', content: 's' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'u' },
            { type: 'image_url', image_url: { url: picture } },
            { type: 'file', file: { filename: 'f.txt', file_data: note } },
            { type: 'input_audio', input_audio: { data: 'aaaa', format: 'wav' } },
          ],
        },
        {
          role: 'assistant',
          content: 'c',
          reasoning_content: 'r',
          tool_calls: [{ id: 'a', type: 'function', function: { name: 'get_time', arguments: written } }],
        },
        { role: 'tool', tool_call_id: 'a', content: 'r' },
        { role: 'user', content: 'x', name: 'n' },
      ],
      tools: [{ type: 'function', function: tool }],
      tool_choice: 'auto',
      stop: ['zzz'],
      user: 'me',
      metadata: { a: 'b' },
      max_tokens: 1,
    },
  ],
  [
    '/v1/chat/completions',
    {
      messages: [question],
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'n', description: 'd', schema: parameters },
      },
      max_tokens: 1,
    },
  ],
  [
    '/v1/messages',
    {
      max_tokens: 1,
      system: [{ type: 'text', text: 's' }],
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'u' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aaaa' } },
            { type: 'document', title: 't', source: { type: 'text', media_type: 'text/plain', data: 'd' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'x', signature: 's' },
            { type: 'tool_use', id: 'a', name: 'get_time', input: { city: 'a' } },
          ],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: 'r' }] },
      ],
      tools: [{ name: 'get_time', description: 'd', input_schema: parameters }],
      stop_sequences: ['zz'],
      metadata: { user_id: 'u' },
    },
  ],
  [
    '/v1/responses',
    {
      max_output_tokens: 1,
      instructions: 'i',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'u' },
            { type: 'input_image', image_url: picture },
            { type: 'input_file', filename: 'f', file_data: note },
          ],
        },
        { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 's' }] },
        { type: 'function_call', call_id: 'a', name: 'get_time', arguments: written },
        { type: 'function_call_output', call_id: 'a', output: 'o' },
        question,
      ],
      tools: [{ type: 'function', ...tool }],
      metadata: { a: 'b' },
    },
  ],
  [
    '/api/chat',
    {
      stream: false,
      messages: [
        { role: 'user', content: 'c', images: ['aaaa'] },
        {
          role: 'assistant',
          content: '',
          tool_calls: [{ function: { name: 'get_time', arguments: { city: 'a' } } }],
        },
        { role: 'tool', tool_name: 'get_time', content: 'r' },
        question,
      ],
      tools: [{ type: 'function', function: tool }],
      format: parameters,
      keep_alive: '5m',
      options: { num_predict: 1, stop: ['z'] },
    },
  ],
  ['/tokenize', { content: 'x' }],
  ['/v1/embeddings', { input: 'x' }],
  ['/v1/completions', { prompt: 'x', max_tokens: 1 }],
];

/** What the texts are made of. */
const parts = [
  ...[
    ' ',
    '\n',
    '\t\n',
    'a',
    'a ',
    'A1',
    '0',
    '0.',
    '1e',
    'é',
    '🙂',
    '-',
    '-a',
    '.',
    ':',
    '::',
    '=',
    '/',
    '~0',
    '#/',
  ],
  ...[
    '"',
    '\\',
    '\\"',
    "'",
    '`',
    '<',
    '</',
    '<a ',
    '<|im_start|>',
    '{',
    '{"a":',
    '[',
    '[a',
    '(',
    '(a',
    '(?:',
    'a{1,',
  ],
  ...['a|', 'a@', 'aA_', '%41', '&a', 'get_time ', 'get_time('],
];

/** Where a text stands in a request, or the name of a value. */
interface Place {
  readonly keys: readonly string[];
  readonly isName: boolean;
}

function placesIn(value: unknown, keys: readonly string[] = []): readonly Place[] {
  if (typeof value === 'string') return [{ keys, isName: false }];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, each]) => {
    const inside = placesIn(each, [...keys, key]);
    return Array.isArray(value) ? inside : [...inside, { keys: [...keys, key], isName: true }];
  });
}

/** The value with `text` in a place. */
function filled(value: unknown, { keys: [key, ...keys], isName }: Place, text: string): unknown {
  if (key === undefined) return text;
  if (Array.isArray(value))
    return value.map((each, at) => (String(at) === key ? filled(each, { keys, isName }, text) : each));
  if (!isRecord(value)) return value;
  if (isName && keys.length === 0) return { ...value, [text]: value[key] };
  return { ...value, [key]: filled(value[key], { keys, isName }, text) };
}

const size = Number(process.env.SIZE ?? 100_000);
const end = Date.now() + 60_000 * Number(process.env.MINUTES ?? 30);
const wanted = new RegExp(process.argv[2] ?? '');
const file = path.join(os.tmpdir(), `fields-${process.pid}.gguf`);
writeFileSync(file, await toyModel());
const model = await loadModel(file, { threads: 1, gpu: false, sequences: 2, contextSize: 4096 });
const handler = createHandler(model, {});

async function send(url: string, body: string): Promise<{ readonly status: number; readonly cost: number }> {
  const stop = watchTurns();
  const headers = { 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(patience);
  const response = await handler(
    new Request(`http://localhost${url}`, { method: 'POST', headers, body, signal }),
  );
  await response.text().catch(() => '');
  return { status: response.status, cost: stop().cost };
}

const asked = requests.flatMap(([url, body]) =>
  placesIn(body).flatMap((place) => {
    const name = `${url} ${place.keys.join('.')}${place.isName ? ' (name)' : ''}`;
    return wanted.test(name) ? parts.map((part) => ({ url, body, place, name, part })) : [];
  }),
);
let [sent, printed] = [0, 0];
for (const { url, body, place, name, part } of asked) {
  if (Date.now() > end) break;
  const text = part.repeat(Math.ceil(size / part.length));
  const { status, cost } = await send(url, JSON.stringify(filled(body, place, text)));
  sent += 1;
  // 499: it was given up.
  if (cost < long && status < 499) continue;
  printed += 1;
  console.log(`${cost.toFixed(0).padStart(6)} ms  ${status}  ${name}  ${JSON.stringify(part)}`);
}
console.log(`${sent} of ${asked.length} requests, ${printed} printed`);
await handler.close();
await model.dispose();
rmSync(file);
