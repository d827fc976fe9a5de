/** What waits for a signal: until which of two things happens, and what is left registered. */
import { describe, expect, it, vi } from 'vitest';
import { follow, onAbort, untilAborted } from '../../src/format/on-abort.ts';

describe('untilAborted', () => {
  it('gives what the work gives, or its error', async () => {
    const { signal } = new AbortController();
    await expect(untilAborted(Promise.resolve(1), signal)).resolves.toBe(1);
    await expect(untilAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
    await expect(untilAborted(Promise.resolve(2), undefined)).resolves.toBe(2);
  });

  it('rejects with the reason, also of a signal that was aborted before', async () => {
    const controller = new AbortController();
    const waiting = untilAborted(new Promise(() => undefined), controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(untilAborted(new Promise(() => undefined), controller.signal)).rejects.toThrow('enough');
  });
});

describe('follow', () => {
  it('aborts with the signal until it is ended', () => {
    const leader = new AbortController();
    const [followed, ended] = [new AbortController(), new AbortController()];
    follow(followed, leader.signal);
    follow(ended, leader.signal)();
    leader.abort('over');
    expect(followed.signal.reason).toBe('over');
    expect(ended.signal.aborted).toBe(false);
  });
});

describe('onAbort', () => {
  it('adds one listener to a signal, however many wait for it', () => {
    const { signal } = new AbortController();
    const added = vi.spyOn(signal, 'addEventListener');
    for (let waiters = 0; waiters < 20; waiters++) onAbort(signal, () => undefined);
    expect(added).toHaveBeenCalledTimes(1);
  });
});
