/** A program that waits for what it keeps from coming is told so; Node would end it with success and without a word. */
import { execFile } from 'node:child_process';
import { EventEmitter } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, onTestFinished, test, vi } from 'vitest';
import { onStall } from '../../src/runtime/chat/on-stall.ts';
import { SequencePool } from '../../src/runtime/node-llama-cpp/sequences/sequence-pool.ts';
import { maxPause } from '../../src/runtime/node-llama-cpp/sequences/sequence-queue.ts';
import { toyModel } from '../../src/testing/index.ts';
import { bundledScript } from '../support/bundled-script.ts';

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-'));
const file = path.join(folder, 'toy.gguf');

beforeAll(async () => fs.writeFileSync(file, await toyModel()));
afterAll(() => fs.rmSync(folder, { recursive: true }));

/** What a process prints that does `name` and has nothing else to do. */
async function printed(name: string, sequences: number): Promise<string> {
  const script = bundledScript('test/support/stall-process.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [script, file, name, String(sequences)]);
  return stdout.trim();
}

test.each([
  [
    'sequence',
    'stalled: waits for a free sequence of the context, but nothing else is running in this process: ',
  ],
  ['message', 'stalled: waits for the end of a response, but nothing else is running in this process: '],
  ['tool', "stalled: waits for a tool's result, but nothing else is running in this process: "],
])('a program that waits for a %s that cannot come is told so', async (name, start) => {
  expect(await printed(name, 1)).toContain(start);
});

it('a stall leaves the model to a program that catches the error', async () => {
  expect(await printed('caught', 1)).toMatch(/^(?!.*(?:disposed|Error)).+$/s);
});

it('a chat waits for no other chat that has evaluated its prompt, however its reader stays away', async () => {
  expect(await printed('shared', 2)).toBe('true');
});

/** A process that ends when told so; other tests wait in the real one. */
function endingProcess(): EventEmitter {
  const ending = new EventEmitter();
  vi.stubGlobal('process', ending);
  onTestFinished(() => void vi.unstubAllGlobals());
  return ending;
}

it('a queue fails all that wait, once, and none that waits no more', () => {
  const ending = endingProcess();
  const failed: string[] = [];
  const stays = ['a', 'b', 'c'].map((name) => onStall(() => failed.push(name)));
  stays[1]?.();
  expect(ending.listenerCount('beforeExit')).toBe(1);
  ending.emit('beforeExit', 0);
  ending.emit('beforeExit', 0);
  expect(failed).toEqual(['a', 'c']);
  for (const stay of stays) stay();
  expect(ending.listenerCount('beforeExit')).toBe(0);
});

it('a queue fails where nobody reads on for long, although the process is kept alive', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const getSequence = () => ({ contextTokens: [] }) as never;
  const pool = new SequencePool({ totalSequences: 1, getSequence });
  const held = await pool.lease([], undefined);
  let finish = (): void => undefined;
  const step = held.use(() => new Promise<void>((resolve) => (finish = resolve)));
  const waiting = pool.lease([], undefined);
  const outcome = waiting.catch((error: unknown) => error);
  // A long step is no pause.
  await vi.advanceTimersByTimeAsync(10 * maxPause);
  finish();
  await step;
  await vi.advanceTimersByTimeAsync(2 * maxPause);
  expect(await outcome).toMatchObject({
    code: 'stalled',
    message: expect.stringContaining('nobody has read'),
  });
  held.release();
  (await pool.lease([], undefined)).release();
});

it('a queue leaves a sequence to those who come later', async () => {
  const ending = endingProcess();
  const getSequence = () => ({ contextTokens: [] }) as never;
  const pool = new SequencePool({ totalSequences: 1, getSequence });
  const first = await pool.lease([], undefined);
  const stalled = pool.lease([], undefined);
  ending.emit('beforeExit', 0);
  await expect(stalled).rejects.toMatchObject({ code: 'stalled' });
  first.release();
  (await pool.lease([], undefined)).release();
});
