/**
 * What a grammar costs while sampling, and what injecting forced text saves. CPU, one thread, models
 * that are scripted or random: trust the ratios, not the milliseconds.
 *
 *     npx tsx --conditions=idiolect:source bench/decoding.ts
 */
import os from 'node:os';
import path from 'node:path';
import { getLlama, LlamaLogLevel, type Token } from 'node-llama-cpp';
import { demoTools } from '../examples/support/demo-tools.ts';
import { readBundledFile } from '../examples/support/llama-bundle.ts';
import { loadVocabulary, tinyModelFile, writeModelFile } from '../examples/support/small-models.ts';
import { analyzeTemplate } from '../src/analysis/analyze-template.ts';
import { createResponseParser } from '../src/create-response-parser.ts';
import { decode } from '../src/runtime/engines/node-llama-cpp/decode.ts';
import { GrammarCache } from '../src/runtime/engines/node-llama-cpp/grammar-cache.ts';
import { MarkerTokens } from '../src/runtime/engines/node-llama-cpp/marker-tokens.ts';
import { ResponseRun } from '../src/runtime/engines/node-llama-cpp/response-run.ts';
import { readVocabulary } from '../src/runtime/engines/node-llama-cpp/vocabulary.ts';
import { scriptedModel } from '../src/testing/index.ts';

type Mode = 'free' | 'grammar' | 'injected';

const repeats = 15;
const markers = ['<think>', '</think>', '<tool_call>', '</tool_call>'];
const controls = ['<|im_start|>', '<|im_end|>'];
const promptText = '<|im_start|>user\nHow warm is it in Bern?<|im_end|>\n<|im_start|>assistant\n';
const script = [
  '{"name": "set_reminder", "arguments": {"text": "Call the bank", "weekdays": ["mon", "fri"]}}',
  '{"name": "get_weather", "arguments": {"city": "Bern", "unit": "celsius", "days": 3}}',
  '{"name": "convert_money", "arguments": {"amount": 12.5, "to": "CHF", "round": true}}',
]
  .map((call) => `<tool_call>\n${call}\n</tool_call>`)
  .join('\n');

const template = (await readBundledFile('models/templates/Qwen-Qwen3-0.6B.jinja')).toString('utf8');
const { format } = analyzeTemplate(template);
const llama = await getLlama({
  gpu: false,
  build: 'never',
  logLevel: LlamaLogLevel.disabled,
  progressLogs: false,
});

for (const vocabulary of ['llama-spm', 'qwen2']) {
  const tiny = await tinyModelFile({ vocabulary, markers, controls });
  const tokens = await encode(tiny);
  const file = path.join(os.tmpdir(), `idiolect-bench-${process.pid}.gguf`);
  writeModelFile(
    file,
    scriptedModel({
      vocabulary: await loadVocabulary({ vocabulary, markers, controls }),
      script: tokens.script,
      promptLength: tokens.prompt.length,
    }),
  );
  console.log(`\n${vocabulary}, a model that conforms: ${tokens.script.length} tokens, three calls`);
  await table(await open(file), tokens.prompt, ['free', 'grammar', 'injected'], true);
  console.log(`${vocabulary}, random weights, temperature 1, one call`);
  await table(await open(tiny), tokens.prompt, ['grammar', 'injected'], false);
}
process.exit(0);

async function encode(file: string): Promise<{ readonly prompt: Token[]; readonly script: Token[] }> {
  const model = await llama.loadModel({ modelPath: file, vocabOnly: true });
  const vocabulary = readVocabulary(model, file);
  const all = new MarkerTokens(vocabulary, [...markers, ...controls]);
  const tokens = { prompt: vocabulary.encodePrompt([promptText]), script: all.encode(`${script}<|im_end|>`) };
  await model.dispose();
  return tokens;
}

async function open(file: string) {
  const model = await llama.loadModel({ modelPath: file });
  const vocabulary = readVocabulary(model, file);
  void vocabulary.index;
  const context = await model.createContext({ contextSize: 1024, threads: 1 });
  return { model, vocabulary, context, sequence: context.getSequence(), grammars: new GrammarCache() };
}

async function table(
  opened: Awaited<ReturnType<typeof open>>,
  prompt: readonly Token[],
  modes: readonly Mode[],
  conforming: boolean,
): Promise<void> {
  const times = new Map(modes.map((mode): [Mode, number[]] => [mode, []]));
  // One after the other, so that whatever else the machine does falls on all alike.
  for (let repeat = 0; repeat < repeats; repeat++) {
    for (const mode of modes) times.get(mode)?.push(await time(opened, prompt, mode, conforming, repeat));
  }
  const medians = new Map([...times].map(([mode, all]) => [mode, median(all)]));
  const base = medians.get(modes[0] ?? 'free') ?? 1;
  for (const [mode, time] of medians) {
    console.log(`  ${mode.padEnd(9)} ${time.toFixed(1).padStart(8)} ms  ${(time / base).toFixed(2)}`);
  }
  await opened.model.dispose();
}

async function time(
  opened: Awaited<ReturnType<typeof open>>,
  prompt: readonly Token[],
  mode: Mode,
  conforming: boolean,
  seed: number,
): Promise<number> {
  const run = createRun(opened, mode, conforming);
  const started = performance.now();
  for await (const _event of decode(
    opened.sequence,
    prompt,
    run,
    conforming ? {} : { temperature: 1, seed },
  ));
  if (conforming && run.text !== script) throw new Error(`${mode} wrote ${run.text}`);
  return performance.now() - started;
}

function createRun(
  { model, vocabulary, grammars }: Awaited<ReturnType<typeof open>>,
  mode: Mode,
  conforming: boolean,
): ResponseRun {
  const tools = mode === 'free' ? [] : demoTools;
  const choice = {
    tools,
    toolChoice: mode === 'free' ? 'auto' : 'required',
    parallelToolCalls: conforming,
  } as const;
  const { grammar, matcher } = grammars.get(format, {
    ...choice,
    generationPrompt: '<|im_start|>assistant\n<think>\n\n</think>\n\n',
  });
  return new ResponseRun({
    model,
    vocabulary,
    grammar,
    matcher,
    markers: new MarkerTokens(vocabulary, format.preservedTokens),
    parser: createResponseParser(format, { tools: demoTools }),
    inject: mode === 'injected',
    stops: [],
    maxTokens: 400,
    thinkingBudget: 400,
    reasoningEnd: '',
    freeBehindCalls: false,
  });
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
}
