/**
 * More conversations than sequences: each client sends its next turn after the answer, with five tools, so a
 * conversation's place is taken by others between its turns. `idiolect serve` as a process, and llama-server of
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

const tools = ['weather', 'calendar', 'search', 'mail', 'notes'].map((name) => ({
  type: 'function',
  function: {
    name,
    description: `Answers questions about ${name}. `.repeat(4),
    parameters: { type: 'object', properties: { query: { type: 'string' } }, required: ['query'] },
  },
}));

interface Answer {
  readonly choices: readonly { readonly message: { readonly content: string | null } }[];
  readonly usage: Usage;
}

interface Usage {
  readonly prompt_tokens: number;
  readonly prompt_tokens_details: { readonly cached_tokens: number };
}

async function ask(messages: readonly Message[]): Promise<{ readonly text: string; readonly usage: Usage }> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages, tools, max_tokens: maxTokens, temperature: 0 }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  const { choices, usage } = (await response.json()) as Answer;
  return { text: choices[0]?.message.content ?? '', usage };
}

/** Tokens of the prompts of one conversation, and how many of them were evaluated. */
async function converse(person: number): Promise<{ readonly prompt: number; readonly evaluated: number }> {
  const rule = `You help person ${person}. ${'Be brief and exact. '.repeat(10)}`;
  const messages: Message[] = [{ role: 'system', content: rule }];
  let [prompt, evaluated] = [0, 0];
  for (let turn = 0; turn < turns; turn += 1) {
    messages.push({ role: 'user', content: `Question ${turn} of person ${person}: how warm is it in Bern?` });
    const { usage } = await ask(messages);
    prompt += usage.prompt_tokens;
    evaluated += usage.prompt_tokens - usage.prompt_tokens_details.cached_tokens;
    // Both servers get the same history, whatever they answered.
    messages.push({ role: 'assistant', content: `It is ${person + turn} degrees in Bern.` });
  }
  return { prompt, evaluated };
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
      const sum = (figure: 'prompt' | 'evaluated') => told.reduce((all, each) => all + each[figure], 0);
      const each = ((processorTime(server) - before) * 1000) / (conversations * turns);
      console.log(
        `${name}: ${conversations} conversations on ${sequences} sequences: evaluated ${sum('evaluated')} of ${sum('prompt')} tokens; ` +
          `${each.toFixed(0)} ms of processor per request; ${residentMegabytes(server).toFixed(0)} MB`,
      );
    }
  } finally {
    const ended = new Promise((resolve) => server.once('exit', resolve));
    server.kill();
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
  const theirs = ['-m', file, '--port', String(port), '--jinja', '-t', '1', '--device', 'none', ...slots];
  await measure('llama-server', peer, theirs);
}
