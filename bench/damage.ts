/**
 * What a constraint buys when the model errs: the trained toy with more and more noise on its weights, asked under
 * `auto` for one call, greedily. The same questions and files through Idiolect, with Idiolect's parser alone and through
 * llama.cpp's own chat layer (`@fugood/llama.node`). `QUESTIONS` per level, 40 by default. Prints a table and, with
 * `--picture`, draws docs/damage.svg.
 *
 *     npx tsx --conditions=idiolect:source bench/damage.ts [--picture] 2>/dev/null
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { heldOutQuestions, type Question } from '../scripts/toy/questions.ts';
import { toyFile } from '../src/testing/toy/toy-model.ts';
import { weights } from '../src/testing/toy/weights.ts';
import { type Answer, isRight, isValid, type Way } from './toy/answers.ts';
import { drawDamage, type Level } from './toy/damage-picture.ts';
import { addNoise } from './toy/noise.ts';
import { openFree, openIdiolect, openLlamaCpp } from './toy/ways.ts';

/** Deviation of the noise, as a share of that of each tensor's numbers. */
const shares = [0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4];
const formats = ['json', 'tags', 'channels'] as const;
const count = Number(process.env.QUESTIONS ?? 40);
const original = Buffer.from(weights, 'base64');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'damage-'));
const root = path.join(import.meta.dirname, '..');

/** All three formats, each with its own questions and its own noise. */
async function measureLevel(share: number): Promise<Level> {
  const tally = new Map<string, { valid: number; right: number }>();
  for (const [index, format] of formats.entries()) {
    const file = path.join(folder, `${format}.gguf`);
    fs.writeFileSync(file, toyFile(format, addNoise(original, share, 1 + index)));
    const questions = heldOutQuestions(count, { format, themes: ['call'] });
    for (const way of [await openIdiolect(file), await openLlamaCpp(file), await openFree(file, format)]) {
      const answers = await askAll(way, questions);
      const { valid, right } = tally.get(way.name) ?? { valid: 0, right: 0 };
      tally.set(way.name, {
        valid: valid + answers.filter(([question, answer]) => isValid(answer, question)).length,
        right: right + answers.filter(([question, answer]) => isRight(answer, question)).length,
      });
      await way.close();
    }
  }
  const total = count * formats.length;
  const ways = [...tally].map(([name, { valid, right }]) => ({
    name,
    valid: valid / total,
    right: right / total,
  }));
  return { share, ways };
}

async function askAll(
  way: Way,
  questions: readonly Question[],
): Promise<readonly (readonly [Question, Answer])[]> {
  const answers: (readonly [Question, Answer])[] = [];
  for (const question of questions) answers.push([question, await way.ask(question)]);
  return answers;
}

function printLevel({ share, ways }: Level): void {
  const percent = (value: number): string => `${(100 * value).toFixed(1).padStart(5)} %`;
  const cells = ways.map(({ name, valid, right }) => `${name} ${percent(valid)} ${percent(right)}`);
  console.log(`noise ${share.toFixed(2)}  valid, right:  ${cells.join('   ')}`);
}

const levels: Level[] = [];
for (const share of shares) {
  const level = await measureLevel(share);
  levels.push(level);
  printLevel(level);
}
fs.rmSync(folder, { recursive: true });
if (process.argv.includes('--picture'))
  fs.writeFileSync(path.join(root, 'docs/damage.svg'), drawDamage(levels));
process.exit(0);
