/** How much of a prompt is evaluated, as chats tell it. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { connectEngine } from 'idiolect/engine';
import { loadModel, type PromptProgress } from 'idiolect/node-llama-cpp';
import { toyEngine, toyModel } from 'idiolect/testing';
import { expect, test } from 'vitest';

const question = [{ role: 'user', content: `How is the weather in Bern? ${'and '.repeat(300)}` }] as const;

async function progressOf(
  model: Pick<Awaited<ReturnType<typeof loadModel>>, 'chat'>,
): Promise<PromptProgress[]> {
  const told: PromptProgress[] = [];
  const seen: number[] = [];
  const stream = model.chat({
    messages: question,
    maxTokens: 3,
    onPromptProgress: (progress) => told.push(progress),
  });
  for await (const _ of stream) seen.push(told.length);
  // All of it is told before the answer begins.
  expect(seen[0]).toBe(told.length);
  return told;
}

function expectProgress(told: readonly PromptProgress[]): void {
  const total = told[0]?.total ?? 0;
  expect(total).toBeGreaterThan(300);
  expect(told.map((each) => each.total)).toEqual(told.map(() => total));
  const evaluated = told.map((each) => each.evaluated);
  expect(evaluated[0]).toBe(0);
  expect(evaluated.at(-1)).toBe(total);
  expect(evaluated).toEqual(evaluated.toSorted((a, b) => a - b));
}

test('any engine tells the beginning and the end', async () => {
  const model = await connectEngine(await toyEngine());
  expectProgress(await progressOf(model));
}, 30_000);

test('node-llama-cpp tells the parts', async () => {
  const file = path.join(os.tmpdir(), 'progress-toy.gguf');
  fs.writeFileSync(file, await toyModel());
  const model = await loadModel(file, { gpu: false });
  const told = await progressOf(model);
  await model.dispose();
  expectProgress(told);
  expect(new Set(told.map(({ evaluated }) => evaluated)).size).toBeGreaterThan(3);
}, 30_000);
