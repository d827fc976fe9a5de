/** Conversations outlive their sequences: what one displaces is kept, within a bound, and nothing of it stays behind. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { SequencePool } from '../../src/runtime/node-llama-cpp/sequences/sequence-pool.ts';

/** Files of states that the fake engine has written. */
const written = new Map<string, readonly Token[]>();

/** A sequence that holds tokens, and whose states take a byte for each. */
class FakeSequence {
  contextTokens: readonly Token[] = [];
  readonly needsCheckpoints = false;

  async saveStateToFile(file: string): Promise<{ readonly fileSize: number }> {
    fs.writeFileSync(file, 'x'.repeat(this.contextTokens.length));
    written.set(file, this.contextTokens);
    return { fileSize: this.contextTokens.length };
  }

  async loadStateFromFile(file: string): Promise<void> {
    fs.readFileSync(file);
    this.contextTokens = written.get(file) ?? [];
  }

  async clearHistory(): Promise<void> {
    this.contextTokens = [];
  }

  async _copyStateFromOtherSequence(other: FakeSequence, length: number): Promise<boolean> {
    this.contextTokens = other.contextTokens.slice(0, length);
    return true;
  }
}

function poolOf(totalSequences: number, cacheMemory: number) {
  const sequences: FakeSequence[] = [];
  const getSequence = () => {
    const sequence = new FakeSequence();
    sequences.push(sequence);
    return sequence as unknown as LlamaContextSequence;
  };
  return { sequences, pool: new SequencePool({ totalSequences, getSequence }, { cacheMemory }) };
}

/** A turn of a conversation of `turn` × 100 tokens of its own after `common` ones; returns how many it evaluates. */
async function evaluate(
  pool: SequencePool,
  { conversation, turn, common = 0 }: { conversation: number; turn: number; common?: number },
): Promise<number> {
  const own = Array.from({ length: 100 * (turn + 1) }, () => (1000 + conversation) as Token);
  const prompt = [...Array.from({ length: common }, () => 1 as Token), ...own];
  const lease = await pool.lease(prompt, undefined);
  await lease.share(undefined);
  const { contextTokens } = lease.sequence;
  const differs = prompt.findIndex((token, at) => token !== contextTokens[at]);
  Object.assign(lease.sequence, { contextTokens: prompt });
  lease.evaluated();
  lease.release();
  return differs < 0 ? 0 : prompt.length - differs;
}

const plenty = 1_000_000;

describe('conversations in any order', () => {
  const turns = fc.array(fc.nat({ max: 7 }), { maxLength: 40 });

  it('evaluate only what is new, however few sequences there are', async () => {
    await fc.assert(
      fc.asyncProperty(turns, fc.integer({ min: 1, max: 4 }), async (order, sequences) => {
        const { pool } = poolOf(sequences, plenty);
        const done = new Map<number, number>();
        for (const conversation of order) {
          const turn = done.get(conversation) ?? 0;
          done.set(conversation, turn + 1);
          // The token that is evaluated again is the last one.
          expect(await evaluate(pool, { conversation, turn })).toBe(100);
        }
        pool.close(new Error('over'));
      }),
      { numRuns: 30 },
    );
  });

  it('keep no more bytes than they may, and leave no file behind', async () => {
    const { pool } = poolOf(1, 250);
    let evaluated = 0;
    for (const turn of [0, 1])
      for (const conversation of [0, 1, 2, 3, 4]) evaluated += await evaluate(pool, { conversation, turn });
    const present = [...written.keys()].filter((file) => fs.existsSync(file));
    expect(present.reduce((bytes, file) => bytes + fs.statSync(file).size, 0)).toBeLessThanOrEqual(250);
    expect(evaluated).toBeGreaterThan(5 * 200);
    pool.close(new Error('over'));
    expect([...written.keys()].filter((file) => fs.existsSync(file))).toEqual([]);
  });

  it('keep nothing where that is asked for', async () => {
    const { pool } = poolOf(1, 0);
    const before = written.size;
    for (const turn of [0, 1])
      for (const conversation of [0, 1])
        expect(await evaluate(pool, { conversation, turn })).toBe(100 * (turn + 1));
    expect(written.size).toBe(before);
  });
});

it('a new conversation takes an empty sequence, and copies what it shares with another', async () => {
  const { pool, sequences } = poolOf(2, plenty);
  expect(await evaluate(pool, { conversation: 0, turn: 0, common: 200 })).toBe(300);
  expect(await evaluate(pool, { conversation: 1, turn: 0, common: 200 })).toBe(100);
  expect(sequences.map(({ contextTokens }) => contextTokens.length)).toEqual([300, 300]);
  expect(await evaluate(pool, { conversation: 0, turn: 1, common: 200 })).toBe(100);
  expect(await evaluate(pool, { conversation: 1, turn: 1, common: 200 })).toBe(100);
});

it('a folder of a process that was killed is removed by the next one', async () => {
  const { pool } = poolOf(1, plenty);
  await evaluate(pool, { conversation: 0, turn: 0 });
  await evaluate(pool, { conversation: 1, turn: 0 });
  const [folder = ''] = [...written.keys()].map((file) => file.replace(/\/\d+$/, '')).slice(-1);
  pool.close(new Error('over'));
  // No process has so high a number.
  const abandoned = folder.replace(/-\d+-\w+$/, '-4194999-abcdef');
  fs.mkdirSync(abandoned, { recursive: true });
  const next = poolOf(1, plenty).pool;
  await evaluate(next, { conversation: 0, turn: 0 });
  await evaluate(next, { conversation: 1, turn: 0 });
  next.close(new Error('over'));
  expect(fs.existsSync(abandoned)).toBe(false);
});

describe('where nothing can be kept', () => {
  afterEach(() => {
    vi.restoreAllMocks();
    vi.unstubAllEnvs();
  });

  it('prompts are evaluated again', async () => {
    vi.stubEnv('TMPDIR', '/there/is/no/such/folder');
    const { pool } = poolOf(1, 2 ** 60);
    for (const turn of [0, 1])
      for (const conversation of [0, 1])
        expect(await evaluate(pool, { conversation, turn })).toBe(100 * (turn + 1));
    pool.close(new Error('over'));
  });

  it('what others have left stays there', async () => {
    const remove = fs.rmSync;
    const left = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-prompts-999999999-'));
    vi.spyOn(fs, 'rmSync').mockImplementation((file, options) => {
      if (file === left) throw Object.assign(new Error('not yours'), { code: 'EACCES' });
      remove(file, options);
    });
    const { pool } = poolOf(1, 2 ** 60);
    for (const turn of [0, 1])
      for (const conversation of [0, 1]) expect(await evaluate(pool, { conversation, turn })).toBe(100);
    pool.close(new Error('over'));
    remove(left, { recursive: true });
  });
});
