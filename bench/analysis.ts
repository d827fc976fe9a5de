/**
 * What one analysis costs over both corpora, which is paid once per template, next to llama.cpp's own, which
 * is paid on every request (through `@fugood/llama.node`: prompt, grammar and parser for one message):
 * `npx tsx --conditions=idiolect:source bench/analysis.ts`.
 */
import { createRequire } from 'node:module';
import { tinyModelFile } from '../examples/support/small-models.ts';
import { analyzeTemplate } from '../src/analysis/analyze-template.ts';
import { IdiolectError } from '../src/format/errors.ts';
import { allTemplates, llamaTemplate } from '../test/support/corpora.ts';
import { lawTools } from '../test/support/law-tools.ts';

// Its types are sources that do not pass this project's compiler options.
const { loadModel } = createRequire(import.meta.url)('@fugood/llama.node');

const templates = await allTemplates();

/** Milliseconds of processor time that `work` takes. */
function cost(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function analyze(source: string): void {
  try {
    analyzeTemplate(source);
  } catch (error) {
    if (!(error instanceof IdiolectError)) throw error;
  }
}

/** Prints the distribution of one round and returns its median. */
function report(name: string, costs: readonly { readonly id: string; readonly ms: number }[]): number {
  const sorted = [...costs].sort((a, b) => a.ms - b.ms);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  console.log(
    `${name}: median ${at(0.5)?.ms.toFixed(1)} ms, 90 % under ${at(0.9)?.ms.toFixed(1)} ms, ` +
      `worst ${at(1)?.ms.toFixed(0)} ms (${at(1)?.id}), ${sorted.length} templates`,
  );
  return at(0.5)?.ms ?? Number.NaN;
}

const analysis = (name: string) =>
  report(
    name,
    templates.map(({ id, source }) => ({ id, ms: cost(() => analyze(source)) })),
  );
analysis('analysis, cold');
const ours = analysis('analysis, warm');

// The package takes any template for a request, once the model's own is one that it can run.
const own = await llamaTemplate('Qwen-Qwen2.5-7B-Instruct');
const peer = await loadModel({
  model: await tinyModelFile({ vocabulary: 'llama-spm', chatTemplate: own.source }),
  n_ctx: 512,
});
const tools = lawTools.map(({ function: tool }) => ({
  type: 'function' as const,
  function: { name: tool.name, description: tool.name, parameters: Object(tool.parameters) },
}));
const messages = [{ role: 'user', content: 'How warm is it in Bern?' }];
const requests: { id: string; ms: number }[] = [];
for (const { id, source } of templates) {
  const request = () => peer.getFormattedChat(messages, source, { jinja: true, tools });
  try {
    request(); // some templates cannot be rendered by its engine
    requests.push({ id, ms: cost(request) });
  } catch {}
}
const theirs = report('llama.cpp, each request', requests);
console.log(`one analysis costs as much as ${(ours / theirs).toFixed(1)} of its requests`);
await peer.release();
