/**
 * What a response costs on a model that conforms by itself: the trained toy, asked under `auto`, greedily, with its
 * prompt already evaluated, as in a conversation. Free, under Idiolect's grammar with all tokens sampled, with forced
 * text injected, and through llama.cpp's own chat layer (`@fugood/llama.node`). Processor time on one thread; only
 * questions that all ways answer rightly count. `QUESTIONS` of each format, 12 by default.
 *
 *     npx tsx --conditions=idiolect:source bench/conforming.ts 2>/dev/null
 */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { heldOutQuestions, type Question } from '../scripts/toy/questions.ts';
import { toyModel } from '../src/testing/index.ts';
import { median } from './processor-time.ts';
import { type Answer, isRight, type Way } from './toy/answers.ts';
import { openFree, openIdiolect, openLlamaCpp } from './toy/ways.ts';

const count = Number(process.env.QUESTIONS ?? 12);
const rounds = 5;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'conforming-'));

for (const format of ['json', 'tags', 'channels'] as const) {
  const file = path.join(folder, `${format}.gguf`);
  fs.writeFileSync(file, await toyModel(format));
  const ways = [
    await openFree(file, format),
    await openIdiolect(file, false),
    await openIdiolect(file),
    await openLlamaCpp(file),
  ];
  report(format, await measureAll(ways, heldOutQuestions(count, { format, themes: ['call'], seed: 5 })));
  for (const way of ways) await way.close();
}
fs.rmSync(folder, { recursive: true });
process.exit(0);

/** By way: the median answer to each question that all ways answered rightly. */
async function measureAll(
  ways: readonly Way[],
  questions: readonly Question[],
): Promise<ReadonlyMap<string, readonly Answer[]>> {
  const measured = new Map(ways.map(({ name }): [string, Answer[]] => [name, []]));
  for (const question of questions) {
    const answers = new Map(ways.map(({ name }): [string, Answer[]] => [name, []]));
    // The first round evaluates the prompt, and warms up.
    for (let round = 0; round <= rounds; round += 1) {
      for (const way of round % 2 ? ways : [...ways].reverse()) {
        const answer = await way.ask(question);
        if (round > 0) answers.get(way.name)?.push(answer);
      }
    }
    if (![...answers.values()].flat().every((answer) => isRight(answer, question))) continue;
    for (const [name, all] of answers) {
      const milliseconds = median(all.map((answer) => answer.milliseconds));
      const [first] = all;
      if (first) measured.get(name)?.push({ ...first, milliseconds });
    }
  }
  return measured;
}

/** Medians over the questions, of the times and of their ratios to the free run of the same question. */
function report(format: string, measured: ReadonlyMap<string, readonly Answer[]>): void {
  const [free = []] = measured.values();
  console.log(`\n${format}: ${free.length} questions that every way answers rightly`);
  for (const [name, answers] of measured) {
    const times = answers.map(({ milliseconds }) => milliseconds);
    const ratios = times.map((time, index) => time / (free[index]?.milliseconds ?? Number.NaN));
    const mean = (of: (answer: Answer) => number): string =>
      (answers.reduce((sum, answer) => sum + of(answer), 0) / answers.length).toFixed(0);
    console.log(
      `  ${name.padEnd(22)} ${median(times).toFixed(1).padStart(7)} ms a response, ${median(ratios).toFixed(2)} of free; ` +
        `${mean(({ sampled }) => sampled)} tokens sampled, ${mean(({ injected }) => injected)} injected`,
    );
  }
}
