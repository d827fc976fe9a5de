/**
 * More conversations than sequences: each client sends its next turn after the answer, so a conversation's
 * place is taken by others between its turns. `idiolect serve` as a process, and llama-server of
 * `IDIOLECT_LLAMA_SERVER` next to it, with the same model file (random weights), the same requests and one thread:
 * tokens of prompts that were evaluated, as both say; processor time of each process; resident memory at the end.
 *
 *     npx esbuild src/cli/main.ts src/runtime/node-llama-cpp/ahead/schema-worker.ts --bundle --splitting --platform=node \
 *       --format=esm --packages=external --conditions=idiolect:source --outdir=.cache/served --entry-names=[name]
 *     IDIOLECT_LLAMA_SERVER=llama-server npx tsx --conditions=idiolect:source bench/conversations.ts 4 8 16
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { readBundledFile } from '../examples/support/llama-bundle.ts';
import { tinyModelFile } from '../examples/support/small-models.ts';
import type { Message } from '../src/format/messages.ts';

const sequences = 4;
const contextSize = 2048;
const turns = Number(process.env.TURNS ?? 5);
const maxTokens = 16;
const port = 18_430;
const url = `http://127.0.0.1:${port}`;

/** As long as the texts of five tools. */
const handbook = 'Answers questions about the weather, the calendar, mail and notes. '.repeat(40);

/** llama-server's parser fails at the end of what random weights write, but it tells its figures before. */
const streamed = { stream: true, stream_options: { include_usage: true }, timings_per_token: true };

interface Prompt {
  readonly length: number;
  readonly evaluated: number;
}

async function ask(messages: readonly Message[]): Promise<Prompt> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages, max_tokens: maxTokens, temperature: 0, ...streamed }),
  });
  const text = await response.text();
  const chunks = Array.from(text.matchAll(/^data: (\{.*)$/gm), ([, data = '']) => JSON.parse(data));
  const timings = chunks.findLast((chunk) => chunk.timings !== undefined)?.timings;
  if (timings !== undefined)
    return { length: timings.cache_n + timings.prompt_n, evaluated: timings.prompt_n };
  const usage = chunks.findLast((chunk) => chunk.usage != null)?.usage;
  if (usage === undefined) throw new Error(`${response.status}: ${text.slice(0, 300)}`);
  const { prompt_tokens: length, prompt_tokens_details: details } = usage;
  return { length, evaluated: length - details.cached_tokens };
}

/** Tokens of the prompts of one conversation, and how many of them were evaluated. */
async function converse(person: number): Promise<Prompt> {
  const rule = `You help person ${person}. ${handbook}`;
  const messages: Message[] = [{ role: 'system', content: rule }];
  let [length, evaluated] = [0, 0];
  for (let turn = 0; turn < turns; turn += 1) {
    messages.push({ role: 'user', content: `Question ${turn} of person ${person}: how warm is it in Bern?` });
    const prompt = await ask(messages);
    length += prompt.length;
    evaluated += prompt.evaluated;
    // Both servers get the same history, whatever they answered.
    messages.push({ role: 'assistant', content: `It is ${person + turn} degrees in Bern.` });
  }
  return { length, evaluated };
}

/** Seconds of processor time that a process has used. */
function processorTime({ pid }: ChildProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function residentMegabytes({ pid }: ChildProcess): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

async function measure(name: string, program: string, given: readonly string[]): Promise<void> {
  const server = spawn(program, given, { stdio: 'ignore' });
  try {
    await answering();
    for (const conversations of process.argv.slice(2).map(Number)) {
      const before = processorTime(server);
      const told = await Promise.all(
        Array.from({ length: conversations }, (_, person) => converse(1000 * conversations + person)),
      );
      const sum = (figure: keyof Prompt) => told.reduce((all, each) => all + each[figure], 0);
      const each = ((processorTime(server) - before) * 1000) / (conversations * turns);
      console.log(
        `${name}: ${conversations} conversations on ${sequences} sequences: evaluated ${sum('evaluated')} of ${sum('length')} tokens; ` +
          `${each.toFixed(0)} ms of processor per request; ${residentMegabytes(server).toFixed(0)} MB`,
      );
    }
  } finally {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await ended;
  }
}

async function answering(): Promise<void> {
  for (let tries = 0; tries < 300; tries += 1) {
    const health = await fetch(`${url}/health`).catch(() => null);
    if (health?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error('the server does not answer');
}

const chatTemplate = String(await readBundledFile('models/templates/Qwen-Qwen3-0.6B.jinja'));
const markers = ['<think>', '</think>', '<tool_call>', '</tool_call>'];
const controls = ['<|im_start|>', '<|im_end|>'];
const file = await tinyModelFile({ vocabulary: 'qwen2', markers, controls, chatTemplate });

const cli = path.join(import.meta.dirname, '../.cache/served/main.js');
const sizes = ['--sequences', String(sequences), '--context-size', String(contextSize)];
const ours = [cli, 'serve', `tiny=${file}`, '--port', String(port), '--threads', '1', '--no-gpu', ...sizes];
await measure('idiolect serve', process.execPath, ours);

const peer = process.env.IDIOLECT_LLAMA_SERVER;
if (peer === undefined) console.log('IDIOLECT_LLAMA_SERVER names no llama-server to compare with');
else {
  const slots = ['-c', String(contextSize * sequences), '-np', String(sequences), '--no-kv-unified'];
  const theirs = [
    '-m',
    file,
    '--port',
    String(port),
    '--jinja',
    '-t',
    '1',
    '--device',
    'none',
    ...slots,
    '--skip-chat-parsing',
  ];
  await measure('llama-server', peer, theirs);
}
