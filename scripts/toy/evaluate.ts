/**
 * Measures the toy on held-out questions: `tsx --conditions=idiolect:source scripts/toy/evaluate.ts`. `--weights file`
 * takes others than those of the package, `--count` fewer questions.
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { loadModel } from '../../src/runtime/node-llama-cpp/load-model.ts';
import { toyModel } from '../../src/testing/index.ts';
import type { ToyFormat } from '../../src/testing/toy/templates.ts';
import { toyFile } from '../../src/testing/toy/toy-model.ts';
import type { Theme } from './conversations.ts';
import { judge } from './judge.ts';
import { heldOutQuestions, type QuestionOptions } from './questions.ts';

const { values } = parseArgs({
  options: {
    weights: { type: 'string' },
    count: { type: 'string', default: '500' },
    format: { type: 'string' },
  },
});
const firstTurns: readonly Theme[] = ['chat', 'refusal', 'call', 'call', 'call', 'parallel'];

for (const format of ['json', 'tags', 'channels'] as const) {
  if (values.format !== undefined && values.format !== format) continue;
  const count = Math.ceil(Number(values.count) / (format === 'json' ? 1 : 2.5));
  const model = await loadModel(await fileOf(format), { gpu: false, threads: 1, contextSize: 2048 });
  const measure = async (
    what: string,
    count: number,
    options: Omit<QuestionOptions, 'format'>,
  ): Promise<void> => {
    const total = { decision: 0, calls: 0, words: 0 };
    const wrong: Record<string, number> = {};
    for (const question of heldOutQuestions(count, { format, ...options })) {
      const verdict = await judge(model, question);
      for (const key of ['decision', 'calls', 'words'] as const) total[key] += Number(verdict[key]);
      if (!verdict.words) wrong[question.theme] = (wrong[question.theme] ?? 0) + 1;
    }
    const share = (right: number): string => `${((100 * right) / count).toFixed(1)} %`;
    const { decision, calls, words } = total;
    console.log(
      `${format.padEnd(9)} ${what.padEnd(20)} ${count} conversations: decisions ${share(decision)}, all arguments ${share(calls)}, all words ${share(words)}  wrong: ${JSON.stringify(wrong)}`,
    );
  };
  await measure('questions', count, { themes: firstTurns });
  await measure('loops', Math.ceil(count / 2.5), { themes: ['loop'] });
  await measure('several turns', Math.ceil(count / 5), { themes: ['several'] });
  await measure('unseen phrasings', Math.ceil(count / 5), {
    themes: ['call', 'refusal'],
    unseenPhrasings: true,
  });
  await model.dispose();
}

async function fileOf(format: ToyFormat): Promise<string> {
  const bytes =
    values.weights === undefined ? await toyModel(format) : toyFile(format, fs.readFileSync(values.weights));
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'toy-'));
  process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, `toy-${format}.gguf`);
  fs.writeFileSync(file, bytes);
  return file;
}
