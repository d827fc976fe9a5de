/**
 * Memory of `idiolect serve` with the toy: four bodies of 30 MB at once, of several kinds, each to a new server; then
 * 5,000 requests, four at a time, after each 500 of which resident memory is told. In MB.
 *
 *     npx esbuild src/cli/main.ts src/runtime/node-llama-cpp/ahead/schema-worker.ts --bundle --splitting --platform=node \
 *       --format=esm --packages=external --conditions=idiolect:source --outdir=.cache/served --entry-names=[name]
 *     npx tsx --conditions=idiolect:source bench/server-memory.ts bodies
 *     npx tsx --conditions=idiolect:source bench/server-memory.ts requests [5000]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { toyModel } from '../src/testing/index.ts';

const port = 18_450;
const size = 30_000_000;

interface Memory {
  readonly now: number;
  readonly highest: number;
}

function memoryOf({ pid }: ChildProcess): Memory {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024;
  return { now: of('VmRSS'), highest: of('VmHWM') };
}

const file = path.join(os.tmpdir(), `server-memory-${process.pid}.gguf`);
writeFileSync(file, await toyModel());

async function withServer(use: (server: ChildProcess) => Promise<void>): Promise<void> {
  const cli = path.join(import.meta.dirname, '../.cache/served/main.js');
  const options = ['--port', String(port), '--threads', '1', '--no-gpu', '--sequences', '4'];
  const given = [cli, 'serve', `toy=${file}`, ...options, '--context-size', '4096'];
  const server = spawn(process.execPath, given, { stdio: 'ignore' });
  try {
    await answering();
    await use(server);
  } finally {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await ended;
  }
}

async function answering(): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const health = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null);
    if (health?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('the server does not answer');
}

/** Sends a request whose answer is read up to `most` bytes; its status. */
function send(url: string, body: Buffer, most = Number.POSITIVE_INFINITY): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length };
    const request = http.request({ port, path: url, method: 'POST', headers, agent: false }, (response) => {
      let read = 0;
      response.on('data', (bytes: Buffer) => {
        read += bytes.length;
        if (read > most) request.destroy();
      });
      response.on('close', () => resolve(response.statusCode ?? 0));
    });
    request.on('error', (error) => (most < Number.POSITIVE_INFINITY ? resolve(0) : reject(error)));
    request.end(body);
  });
}

const said = (unit: string): string =>
  `{"messages":[{"role":"user","content":"${unit.repeat(size / Buffer.byteLength(unit))}"}]}`;
const bodies: Readonly<Record<string, () => string>> = {
  'a text': () => said('The weather in Bern is fine today, and tomorrow as well. '),
  'a text that is not ASCII': () => said('Schöne Grüße aus Zürich. '),
  escapes: () => said('\\u0041'),
  'many fields': () =>
    `{"messages":[],${Array.from({ length: 900 }, (_, index) => `"f${index}":"${'x'.repeat(33_000)}"`).join()}}`,
};

async function sendBodies(): Promise<void> {
  for (const [kind, write] of Object.entries(bodies)) {
    const body = Buffer.from(write());
    await withServer(async (server) => {
      await send('/v1/chat/completions', Buffer.from('{"messages":[]}'));
      const before = memoryOf(server).highest;
      const sent = Array.from({ length: 4 }, () => send('/v1/chat/completions', body));
      const statuses = await Promise.all(sent);
      const grown = memoryOf(server).highest - before;
      console.log(
        `four bodies of 30 MB, ${kind}: ${grown.toFixed(0)} MB above ${before.toFixed(0)} (${statuses.join(' ')})`,
      );
    });
  }
}

const question = { role: 'user', content: 'What is the weather in Bern?' };
const city = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const schema = (index: number): object => ({
  type: 'object',
  properties: { [`size${index}`]: { type: 'integer', maximum: index }, tag: { enum: ['a', `b${index}`] } },
  required: [`size${index}`],
  additionalProperties: false,
});
const called = (index: number): object => ({
  type: 'function',
  function: { name: `tool_${index}`, description: 'Tells the weather.', parameters: city },
});

/** Requests of every kind, in turn; some are given up, some are no requests. */
const kinds: readonly ((index: number) => Promise<number>)[] = [
  (index) => chat({ messages: [{ ...question, content: `How warm is it in city ${index}?` }] }),
  (index) => chat({ messages: [question], stream: true, seed: index }),
  (index) => chat({ messages: [question], stream: true, max_tokens: 60 }, index % 5 === 0 ? 400 : undefined),
  (index) => chat({ messages: [question], tools: [called(index % 60)], tool_choice: 'required' }),
  (index) =>
    chat({
      messages: [question],
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: schema(index % 60) } },
    }),
  (index) => post('/v1/responses', { input: `How warm is it in city ${index}?`, max_output_tokens: 16 }),
  (index) => post('/v1/messages', { messages: [{ ...question, content: `City ${index}?` }], max_tokens: 16 }),
  (index) => chat({ messages: index % 2 === 0 ? [] : [{ role: 'nobody', content: '' }] }),
];

function chat(fields: object, most?: number): Promise<number> {
  return post('/v1/chat/completions', { max_tokens: 16, ...fields }, most);
}

function post(url: string, body: object, most?: number): Promise<number> {
  return send(url, Buffer.from(JSON.stringify(body)), most);
}

async function sendRequests(count: number): Promise<void> {
  await withServer(async (server) => {
    const statuses = new Map<number, number>();
    let [sent, told] = [0, 0];
    const client = async (): Promise<void> => {
      while (sent < count) {
        const index = sent;
        sent += 1;
        const status = (await kinds[index % kinds.length]?.(index)) ?? 0;
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (sent - told < 500) continue;
        told = sent;
        console.log(`${sent} requests: ${memoryOf(server).now.toFixed(0)} MB`);
      }
    };
    await Promise.all(Array.from({ length: 4 }, client));
    console.log(
      `statuses: ${Array.from(statuses, ([status, times]) => `${status} ${times} times`).join(', ')}`,
    );
  });
}

const [task, count = '5000'] = process.argv.slice(2);
if (task === 'bodies') await sendBodies();
else if (task === 'requests') await sendRequests(Number(count));
else throw new RangeError('say bodies or requests');
