/**
 * A hundred requests at once on four sequences: twenty conversations of five turns, all of whose turns are known.
 * Ours in this process, over HTTP; llama-server of `IDIOLECT_LLAMA_SERVER` in the same run, with the same model file
 * (random weights) and the same requests. What is evaluated is what both say of their caches. Clock times: trust the
 * ratios, and only on an idle machine.
 *
 *     IDIOLECT_LLAMA_SERVER=llama-server npx tsx --conditions=idiolect:source bench/serve.ts
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { getLlama, LlamaLogLevel } from 'node-llama-cpp';
import { readBundledFile } from '../examples/support/llama-bundle.ts';
import { tinyModelFile } from '../examples/support/small-models.ts';
import type { Message } from '../src/format/messages.ts';
import { loadModel } from '../src/runtime/node-llama-cpp/index.ts';
import { serve } from '../src/serve/index.ts';
import { toldStories } from '../test/support/told-stories.ts';
import { median } from './processor-time.ts';

const conversations = Number(process.env.CONVERSATIONS ?? 20);
const turns = 5;
const sequences = 4;
const contextSize = 2048;
const maxTokens = 16;
const peerPort = 18_410;

/** One request, as its client sees it. */
interface Answered {
  readonly firstMs: number;
  readonly prompt: number;
  readonly evaluated: number;
  readonly written: number;
}

interface Chunk {
  readonly choices: readonly { readonly delta: object; readonly finish_reason: string | null }[];
  readonly usage?: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly prompt_tokens_details: { readonly cached_tokens: number };
  } | null;
}

async function ask(url: string, messages: readonly Message[]): Promise<Answered> {
  const begun = performance.now();
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      messages,
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: maxTokens,
      temperature: 1,
      seed: 1,
    }),
  });
  if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`);
  let firstMs = Number.NaN;
  let text = '';
  for await (const bytes of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += bytes;
    if (Number.isNaN(firstMs) && text.includes('"content":')) firstMs = performance.now() - begun;
  }
  const chunks = Array.from(text.matchAll(/^data: (\{.*)$/gm), ([, data = '']): Chunk => JSON.parse(data));
  const usage = chunks.findLast((chunk) => chunk.usage != null)?.usage;
  if (usage == null) throw new Error('an answer without its figures');
  const { prompt_tokens: prompt, completion_tokens: written, prompt_tokens_details: details } = usage;
  return { firstMs, prompt, evaluated: prompt - details.cached_tokens, written };
}

async function measure(name: string, url: string): Promise<void> {
  await ask(url, [{ role: 'user', content: 'Warm up.' }]);
  const requests = toldStories({ conversations, turns, repeats: 60 }).flat();
  const begun = performance.now();
  const answers = await Promise.all(requests.map((messages) => ask(url, messages)));
  const seconds = (performance.now() - begun) / 1000;
  const sum = (figure: (answer: Answered) => number): number =>
    answers.reduce((total, answer) => total + figure(answer), 0);
  console.log(
    `${name}: ${answers.length} answered in ${seconds.toFixed(2)} s, ${(answers.length / seconds).toFixed(1)} requests/s, ` +
      `${(sum(({ written }) => written) / seconds).toFixed(0)} tokens/s; first token after ${median(answers.map(({ firstMs }) => firstMs)).toFixed(0)} ms (median); ` +
      `evaluated ${sum(({ evaluated }) => evaluated)} of ${sum(({ prompt }) => prompt)} tokens of prompts`,
  );
}

async function startPeer(program: string, file: string): Promise<ChildProcess> {
  const sizes = ['-c', String(contextSize * sequences), '-np', String(sequences), '-t', '1'];
  const peer = spawn(program, ['-m', file, '--port', String(peerPort), '--jinja', ...sizes], {
    stdio: 'ignore',
  });
  for (let tries = 0; tries < 300; tries += 1) {
    const health = await fetch(`http://127.0.0.1:${peerPort}/health`).catch(() => null);
    if (health?.ok === true) return peer;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  peer.kill();
  throw new Error(`${program} does not answer`);
}

const chatTemplate = String(await readBundledFile('models/templates/Qwen-Qwen3-0.6B.jinja'));
const markers = ['<think>', '</think>', '<tool_call>', '</tool_call>'];
const controls = ['<|im_start|>', '<|im_end|>'];
const file = await tinyModelFile({ vocabulary: 'llama-spm', markers, controls, chatTemplate });

const llama = await getLlama({
  gpu: false,
  build: 'never',
  logLevel: LlamaLogLevel.disabled,
  progressLogs: false,
});
const model = await loadModel(file, { llama, threads: 1, sequences, contextSize });
const server = await serve(model, { port: 0, concurrency: 2 * sequences, queueLimit: conversations * turns });
await measure('idiolect serve', server.url);
await server.close();
await model.dispose();

const program = process.env.IDIOLECT_LLAMA_SERVER;
if (program === undefined) console.log('IDIOLECT_LLAMA_SERVER names no llama-server to compare with');
else {
  const peer = await startPeer(program, file);
  try {
    await measure('llama-server', `http://127.0.0.1:${peerPort}`);
  } finally {
    peer.kill();
  }
}
