/** Sequences are handed out in turn, and none is lost to a chat that was cancelled. */
import type { LlamaContextSequence } from 'node-llama-cpp';
import { describe, expect, it, vi } from 'vitest';
import { SequencePool } from '../../src/runtime/node-llama-cpp/sequence-pool.ts';

function poolOf(totalSequences: number): SequencePool {
  const getSequence = () => ({ contextTokens: [] }) as unknown as LlamaContextSequence;
  return new SequencePool({ totalSequences, getSequence });
}

describe('a pool of sequences', () => {
  it('serves those who wait in their order, before anybody who comes later', async () => {
    const pool = poolOf(1);
    const order: string[] = [];
    const first = await pool.lease([], undefined);
    const take = (name: string) =>
      pool.lease([], undefined).then((lease) => {
        order.push(name);
        lease.release();
      });
    const waiting = [take('a'), take('b')];
    first.release();
    // In the same moment, when the sequence is already promised.
    await Promise.all([...waiting, take('c')]);
    expect(order).toEqual(['a', 'b', 'c']);
  });

  it('goes on with the next when one gives up, before its turn or in the moment of it', async () => {
    for (const early of [true, false]) {
      const pool = poolOf(1);
      const controller = new AbortController();
      const first = await pool.lease([], undefined);
      const cancelled = pool.lease([], controller.signal).then((lease) => lease.release());
      const patient = pool.lease([], undefined);
      if (early) controller.abort(new Error('enough'));
      first.release();
      if (!early) controller.abort(new Error('enough'));
      await cancelled.catch(() => undefined);
      (await patient).release();
      await expect(pool.lease([], AbortSignal.abort(new Error('late')))).rejects.toThrow('late');
      (await pool.lease([], undefined)).release();
    }
  });

  it('listens to a signal once, however many wait with it, and lets all of them go', async () => {
    const pool = poolOf(1);
    const controller = new AbortController();
    const listen = vi.spyOn(controller.signal, 'addEventListener');
    const first = await pool.lease([], undefined);
    const waiting = Array.from({ length: 20 }, () => pool.lease([], controller.signal));
    const patient = pool.lease([], undefined);
    const ends = Promise.allSettled(waiting);
    expect(listen).toHaveBeenCalledTimes(1);
    controller.abort(new Error('enough'));
    expect((await ends).map(({ status }) => status)).toEqual(waiting.map(() => 'rejected'));
    first.release();
    (await patient).release();
  });
});
