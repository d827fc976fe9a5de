/**
 * `npm run record:playground -- qwen2.5-coder-1.5b 'What is the weather in Paris for 14 days?'`: records for the
 * playground how a fetched model (`npm run judge:fetch`) calls its tool, token by token, with what else might have come.
 */
import fs from 'node:fs/promises';
import path from 'node:path';
import type { RecordedResponse } from '../site/playground/core/recordings.ts';
import { type Progress, respondOn } from '../site/playground/core/respond.ts';
import { weatherTool } from '../site/playground/core/settings.ts';
import { LlamaEngine } from '../src/runtime/node-llama-cpp/llama-engine.ts';
import { openModelFile } from '../src/runtime/node-llama-cpp/open-model-file.ts';
import { llamaTokenizer } from '../src/runtime/node-llama-cpp/tokenizer.ts';
import { fetchedFile, judgeModels, NoModelError } from './judge-models/files/model-files.ts';

const [name = '', question = ''] = process.argv.slice(2);
const model = judgeModels.find((each) => each.name === name);
const file = model === undefined ? null : fetchedFile(model);
if (model === undefined || file === null) throw new NoModelError(`${name}: not among the fetched models`);

const asked = {
  question,
  tool: weatherTool({ type: 'string' }, { minimum: 1, maximum: 7 }),
  choice: 'auto',
  temperature: 0,
} as const;
const { llamaModel, threads } = await openModelFile(file, { gpu: false });
const chatTemplate = String(llamaModel.fileInfo.metadata.tokenizer.chat_template);
const engine = new LlamaEngine(
  {
    ...{ model: name, chatTemplate, toolUseTemplate: chatTemplate, llamaModel },
    tokenizer: llamaTokenizer(llamaModel, file),
    identity: () => Promise.resolve(model.sha256),
  },
  await llamaModel.createContext({ contextSize: 2048, threads }),
);
const progress: Progress[] = [];
for await (const each of respondOn(engine, asked, 1)) progress.push(each);
await engine.dispose();

const recorded: RecordedResponse = {
  ...{ model: name, sha256: model.sha256, asked, size: engine.tokenizer.texts.length },
  progress,
};
const target = path.join(import.meta.dirname, '../site/playground/recorded', `${name}.json`);
await fs.mkdir(path.dirname(target), { recursive: true });
await fs.writeFile(target, lines(recorded));
console.log(
  progress.flatMap((each) => (each.type === 'tokens' ? each.tokens : [])).length,
  'tokens:',
  target,
);

/** A line for each step. Six digits are more than the page shows. */
function lines({ progress: steps, ...head }: RecordedResponse): string {
  const written = (value: unknown) =>
    JSON.stringify(value, (_, each) =>
      typeof each === 'number' && !Number.isInteger(each) ? Number(each.toPrecision(6)) : each,
    );
  return `${written(head).slice(0, -1)},"progress":[\n${steps.map(written).join(',\n')}\n]}\n`;
}
