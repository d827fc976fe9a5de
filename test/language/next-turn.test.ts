/** Turns of the event loop, where there is `setImmediate` and where a page has none. */
import { afterEach, describe, expect, it, vi } from 'vitest';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

const places = {
  'in Node': {},
  'in a page': { setImmediate: undefined },
  'where there are only timers': { setImmediate: undefined, MessageChannel: undefined },
};

describe.each(Object.entries(places))('%s', (_, globals) => {
  async function load() {
    for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
    vi.resetModules();
    return import('../../src/language/expression/next-turn.ts');
  }

  it('calls come back in order, after what was due before', async () => {
    const { nextTurn, soon } = await load();
    const calls: string[] = [];
    soon(() => calls.push('first'));
    soon(() => calls.push('second'));
    await Promise.resolve();
    expect(calls).toEqual([]);
    await nextTurn();
    expect(calls).toEqual(['first', 'second']);
  });

  it('timers get their turn, however many calls follow one another', async () => {
    const { nextTurn } = await load();
    let isDue = false;
    setTimeout(() => {
      isDue = true;
    });
    for (let turn = 0; turn < 100_000 && !isDue; turn += 1) await nextTurn();
    expect(isDue).toBe(true);
  });
});
