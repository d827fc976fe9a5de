/** The first request of a new process: what `bench/requests.ts` starts again and again. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { LlamaContextSequence } from 'node-llama-cpp';
import { responseModule } from '../generated/qwen-qwen3-0.6b/index.ts';
import { rememberTools } from '../src/format/compiled-tools.ts';
import type { Tool } from '../src/format/messages.ts';
import { compileAhead } from '../src/generate/emit-tools.ts';
import { loadModel } from '../src/runtime/node-llama-cpp/index.ts';
import { cpuTime, median } from './processor-time.ts';

const processes = 5;

/** Prints what loading (and preparing) and the first `required` take with these tools, medians of new processes. */
export async function compareFirstRequests(model: string, tools: readonly Tool[]): Promise<void> {
  const file = path.join(os.tmpdir(), `idiolect-first-${process.pid}.json`);
  for (const [name, way] of [
    ['first, compiler', {}],
    ['first, prepared', { prepare: true }],
    ['first, ahead', { compiled: compileAhead(responseModule.format, tools, 'strict') }],
  ] as const) {
    fs.writeFileSync(file, JSON.stringify({ model, tools, ...way }));
    const runs = Array.from({ length: processes }, () => inNewProcess(file));
    const [request, load] = ['request', 'load'].map((key) => median(runs.map((run) => Number(run[key]))));
    console.log(`  ${name.padEnd(16)} ${request?.toFixed(1).padStart(8)} ms, loading ${load?.toFixed(0)} ms`);
  }
  fs.rmSync(file);
}

function inNewProcess(file: string): Readonly<Record<string, unknown>> {
  const script = process.argv[1] ?? '';
  const output = execFileSync(process.execPath, [...process.execArgv, script, 'first', file], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return JSON.parse(output.toString());
}

/** Loads and asks, and prints the times. */
export async function firstRequest([file = '']: readonly string[]): Promise<void> {
  const { model: modelFile, tools, compiled, prepare } = JSON.parse(fs.readFileSync(file, 'utf8'));
  if (compiled !== undefined) rememberTools(tools, compiled);
  let before = cpuTime();
  const options = { modules: [responseModule], gpu: false, threads: 1, contextSize: 8192 } as const;
  const model = await loadModel(modelFile, options);
  if (prepare === true) await model.prepare({ tools });
  const load = cpuTime() - before;
  let request = Number.NaN;
  const { adaptStateToTokens } = LlamaContextSequence.prototype;
  LlamaContextSequence.prototype.adaptStateToTokens = function (this: LlamaContextSequence, ...given) {
    request = cpuTime() - before;
    return adaptStateToTokens.apply(this, given);
  };
  before = cpuTime();
  const messages = [{ role: 'user', content: 'How warm is it in Bern?' }] as const;
  await model.chat({ messages, tools, toolChoice: 'required', maxTokens: 12 }).message;
  console.log(JSON.stringify({ request, load }));
}
