/** Whatever comes while the engine works: no beginning of a conversation is evaluated twice. */
import fs from 'node:fs';
import fc from 'fast-check';
import type { LlamaContextSequence } from 'node-llama-cpp';
import { expect, it } from 'vitest';
import { SequencePool } from '../../src/runtime/node-llama-cpp/sequences/sequence-pool.ts';
import { sharedLength } from '../../src/runtime/node-llama-cpp/sequences/shared-prefix.ts';
import { distinctTokens } from '../support/distinct-tokens.ts';

const plenty = 1_000_000;
const slice = 100;

/** One step of the engine, which takes as long as the scheduler wants. */
type Step = () => Promise<void>;

/** A sequence whose calls take their time, and which holds what it held until they end. */
class SlowSequence {
  contextTokens: readonly number[] = [];
  readonly needsCheckpoints = false;
  readonly #step: Step;
  readonly #files: Map<string, readonly number[]>;

  constructor(step: Step, files: Map<string, readonly number[]>) {
    this.#step = step;
    this.#files = files;
  }

  async saveStateToFile(file: string): Promise<{ readonly fileSize: number }> {
    const tokens = this.contextTokens;
    await this.#step();
    fs.writeFileSync(file, '');
    this.#files.set(file, tokens);
    return { fileSize: 1 + tokens.length };
  }

  async loadStateFromFile(file: string): Promise<void> {
    await this.#step();
    fs.readFileSync(file);
    this.contextTokens = this.#files.get(file) ?? [];
  }

  async clearHistory(): Promise<void> {
    await this.#step();
    this.contextTokens = [];
  }

  async _copyStateFromOtherSequence(other: SlowSequence, length: number): Promise<boolean> {
    await this.#step();
    this.contextTokens = other.contextTokens.slice(0, length);
    return true;
  }

  /** Evaluates `prompt` in slices, then writes an answer; returns how many tokens of the prompt it evaluates. */
  async answer(prompt: readonly number[], evaluated: () => void): Promise<number> {
    const known = Math.min(sharedLength(this.contextTokens, prompt), prompt.length - 1);
    this.contextTokens = prompt.slice(0, known);
    for (let done = known; done < prompt.length; done += slice) {
      await this.#step();
      this.contextTokens = prompt.slice(0, done + slice);
    }
    evaluated();
    for (let written = 0; written < 2; written += 1) {
      await this.#step();
      this.contextTokens = [...this.contextTokens, -1];
    }
    return prompt.length - known;
  }
}

/** The beginnings of a conversation: they have 64 tokens and more of their own. */
const requests = fc.array(fc.record({ conversation: fc.nat(3), turn: fc.nat(2) }), { maxLength: 12 });

it('no beginning of a conversation is evaluated twice', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      requests,
      fc.integer({ min: 1, max: 4 }),
      async (scheduler, asked, size) => {
        const step = () => scheduler.schedule(Promise.resolve());
        const files = new Map<string, readonly number[]>();
        const getSequence = () => new SlowSequence(step, files) as unknown as LlamaContextSequence;
        const pool = new SequencePool({ totalSequences: size, getSequence }, { cacheMemory: plenty });
        const leased: (readonly number[])[] = [];
        const answers = asked.map(async ({ conversation, turn }) => {
          const prompt = Array.from({ length: 100 * (turn + 1) }, () => conversation);
          await step();
          leased.push(prompt);
          const lease = await pool.lease(prompt, undefined);
          await step();
          await lease.share(undefined);
          const sequence = lease.sequence as unknown as SlowSequence;
          const count = await sequence.answer(prompt, lease.evaluated);
          lease.release();
          return count;
        });
        const counts = await scheduler.waitFor(Promise.all(answers));
        pool.close(new Error('over'));
        expect(counts.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(distinctTokens(leased));
      },
    ),
    { numRuns: process.env.LAWS === 'long' ? 5000 : 200 },
  );
});
