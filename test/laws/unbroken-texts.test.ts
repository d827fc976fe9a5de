/**
 * Law: no text ends the process. llama.cpp splits texts by regular expressions that recurse once per character, so
 * texts without a break, of 10,000 to a million characters, go through every way into a tokenizer, in a process of
 * their own: each is answered or refused with a typed error, and none of its bytes is lost.
 */
import { spawn } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { bundledScript } from '../support/bundled-script.ts';
import type { LongTextOutcome, LongTextTask } from '../support/long-text-process.ts';
import { doors, routes, unbroken } from '../support/long-texts.ts';
import { sampled } from '../support/sample.ts';

/** Those whose splitter is a regular expression, and some with a splitter of their own. */
const vocabularies = [
  'aquila',
  'deepseek-coder',
  'deepseek-llm',
  'falcon',
  'gpt-2',
  'gpt-neox',
  'llama-bpe',
  'qwen2',
  'starcoder',
];
const kinds = [...unbroken.keys()];
const lengths = [8_000, 30_000, 100_000, 1_000_000];
/** Vocabularies of llama.cpp that write other bytes for what they have no token for. */
const lossy = ['aquila'];

async function outcomes(tasks: readonly LongTextTask[]): Promise<readonly LongTextOutcome[]> {
  const script = bundledScript('test/support/long-text-process.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(tasks)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let written = '';
  child.stdout.on('data', (chunk) => {
    written += chunk;
  });
  const [code, signal] = await new Promise<readonly [number | null, string | null]>((resolve) => {
    child.on('close', (...end) => resolve(end));
  });
  const lines = written.split('\n').filter((line) => line !== '');
  const found = lines.map((line): LongTextOutcome => JSON.parse(line));
  expect({ died: tasks[found.length] ?? null, code, signal }).toEqual({ died: null, code: 0, signal: null });
  return found;
}

/** Milliseconds; all of the texts take an hour of one core. */
const limit = process.env.LAWS === 'long' ? 21_600_000 : 240_000;

describe('a text without a break', () => {
  const all = vocabularies.flatMap((vocabulary) =>
    kinds.flatMap((kind) => lengths.map((length) => ({ vocabulary, kind, length }))),
  );

  it(
    'keeps its bytes, and its tokens where the engine survives the whole text',
    async () => {
      // Coprime to the number of lengths.
      const tasks = sampled(all, 95);
      for (const { task, complete, different } of await outcomes(tasks)) {
        if (!lossy.includes(task.vocabulary ?? ''))
          expect({ task, complete }).toEqual({ task, complete: true });
        expect({ task, different: different ?? 0 }).toEqual({ task, different: 0 });
      }
    },
    limit,
  );

  const ways = [...Object.keys(doors), ...routes].flatMap((door) =>
    kinds.flatMap((kind) => [24_500, 200_000].map((length) => ({ door, kind, length }))),
  );

  it(
    'is answered or refused by name, whichever way it comes',
    async () => {
      for (const { task, outcome } of await outcomes(sampled(ways, 47)))
        expect({ task, outcome }).toEqual({ task, outcome: expect.stringMatching(/^[a-z-]+$/) });
    },
    limit,
  );
});
