/**
 * What a request costs before its first token: with known tools, with new ones, and in llama.cpp's chat
 * layer (through `@fugood/llama.node`), which renders, compiles and analyses anew each time. Milliseconds
 * of processor time, medians. Then the first request of a new process, with tools compiled ahead, prepared
 * and neither, up to the engine's first work.
 *
 *     npx tsx --conditions=idiolect:source bench/requests.ts
 */
import { createRequire } from 'node:module';
import { demoTools } from '../examples/support/demo-tools.ts';
import { readBundledFile } from '../examples/support/llama-bundle.ts';
import { tinyModelFile } from '../examples/support/small-models.ts';
import { responseModule } from '../generated/qwen-qwen3-0.6b/index.ts';
import type { Tool } from '../src/format/messages.ts';
import { loadModel } from '../src/runtime/node-llama-cpp/index.ts';
import { renderPrompt } from '../src/template/prompt/render-prompt.ts';
import { compareFirstRequests, firstRequest } from './first-request.ts';
import { cpuTime, median } from './processor-time.ts';

const [task, ...given] = process.argv.slice(2);
if (task === 'first') {
  await firstRequest(given);
  process.exit(0);
}

// Its types are sources that do not pass this project's compiler options.
const peerPackage = createRequire(import.meta.url)('@fugood/llama.node');
await peerPackage.toggleNativeLog(false);

const rounds = 15;
/** Requests per measurement: the clock of processor time is coarse. */
const batch = 20;
const template = (await readBundledFile('models/templates/Qwen-Qwen3-0.6B.jinja')).toString('utf8');
const messages = [{ role: 'user', content: 'How warm is it in Bern?' }] as const;

for (const vocabulary of ['llama-spm', 'qwen2']) {
  const markers = ['<think>', '</think>', '<tool_call>', '</tool_call>'];
  const controls = ['<|im_start|>', '<|im_end|>'];
  const file = await tinyModelFile({ vocabulary, markers, controls, chatTemplate: template });
  const model = await loadModel(file, {
    modules: [responseModule],
    gpu: false,
    threads: 1,
    contextSize: 1024,
  });
  const peer = await peerPackage.loadModel({ model: file, n_ctx: 1024, n_threads: 1, n_gpu_layers: 0 });
  let requests = 0;
  for (const size of [demoTools.length, 30]) {
    const known = manyTools(size, 'known');
    const { input } = responseModule.format;
    const costs = measure({
      'the render alone': () =>
        renderPrompt(template, { messages, tools: known, addGenerationPrompt: true, input }),
      'known tools': () => model.preview({ messages, tools: known, toolChoice: 'required' }),
      'new tools': () => {
        requests += 1;
        model.preview({ messages, tools: manyTools(size, `new${requests}`), toolChoice: 'required' });
      },
      'llama.cpp': () =>
        peer.getFormattedChat(messages, template, { jinja: true, tools: known, tool_choice: 'required' }),
    });
    console.log(`\n${vocabulary}, ${size} tools`);
    for (const [name, cost] of costs) console.log(`  ${name.padEnd(16)} ${cost.toFixed(3).padStart(8)} ms`);
    await compareFirstRequests(file, known);
  }
  await peer.release();
  await model.dispose();
}
process.exit(0);

/** Median cost of each, run in turn. */
function measure(ways: Readonly<Record<string, () => unknown>>): readonly (readonly [string, number])[] {
  const costs = Object.entries(ways).map(([name, way]) => ({ name, way, times: [] as number[] }));
  for (let round = 0; round < rounds + 2; round++) {
    for (const { way, times } of costs) {
      const before = cpuTime();
      for (let request = 0; request < batch; request++) way();
      if (round >= 2) times.push((cpuTime() - before) / batch);
    }
  }
  return costs.map(({ name, times }) => [name, median(times)]);
}

/** So many tools, whose names are not those of any other `group`. */
function manyTools(size: number, group: string): readonly Tool[] {
  return Array.from({ length: size }, (_, index): Tool => {
    const { name, ...rest } = demoTools[index % demoTools.length]?.function ?? { name: 'f' };
    return { type: 'function', function: { name: `${name}_${group}_${index}`, ...rest } };
  });
}
