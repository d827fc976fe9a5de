/** V8 knows of the memory of evaluations: as much as the engine takes for each, until they are old. */
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { SamplerMemory } from '../../src/runtime/node-llama-cpp/sampler-memory.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const vocabularySize = 1_000_000;
const perEvaluation = 12 * vocabularySize;

function counted(): number {
  collectGarbage();
  return process.memoryUsage().external;
}

test('each evaluation counts, and the oldest no longer', () => {
  const memory = new SamplerMemory(vocabularySize);
  const before = counted();
  const after = Array.from({ length: 80 }, () => {
    memory.note();
    return counted() - before;
  });
  expect(Math.round((after[0] ?? 0) / perEvaluation)).toBe(1);
  expect(Math.round((after[9] ?? 0) / perEvaluation)).toBe(10);
  // It stays what the latest ones take, however many there were.
  const [some = 0, more = 0] = [after[59], after[79]].map((bytes = 0) => Math.round(bytes / perEvaluation));
  expect(more).toBe(some);
  expect(more).toBeGreaterThan(10);
  memory.note();
});

test('what is counted takes no memory', () => {
  const memory = new SamplerMemory(vocabularySize);
  const before = process.memoryUsage.rss();
  for (let count = 0; count < 20; count += 1) memory.note();
  expect(process.memoryUsage.rss() - before).toBeLessThan(5 * perEvaluation);
});
