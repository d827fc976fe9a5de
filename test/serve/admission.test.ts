/** Who may begin: never too many, the keys in turns, and nobody's place lost. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Admission } from '../../src/serve/admission.ts';

const stays = new AbortController().signal;

/** Takes everybody in one after the other, and returns their keys in the order in which they began. */
async function orderOf(keys: readonly string[]): Promise<readonly string[]> {
  const admission = new Admission({ concurrency: 1, queueLimit: keys.length });
  const order: string[] = [];
  const leave = await admission.enter('before all', stays);
  const waiting = keys.map(async (key) => {
    const done = await admission.enter(key, stays);
    order.push(key);
    done();
  });
  leave();
  await Promise.all(waiting);
  expect([admission.running, admission.queued]).toEqual([0, 0]);
  return order;
}

describe('admission', () => {
  it('takes the keys in turns, however many requests one of them has sent', async () => {
    expect(await orderOf(['a', 'a', 'a', 'a', 'b', 'c', 'b'])).toEqual(['a', 'b', 'c', 'a', 'b', 'a', 'a']);
  });

  it('never takes a key twice while another waits', async () => {
    const keys = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(keys, async (asked) => {
        const order = await orderOf(asked);
        expect([...order].sort()).toEqual([...asked].sort());
        order.forEach((key, at) => {
          const next = order.indexOf(key, at + 1);
          const others = new Set(order.slice(at + 1).filter((other) => other !== key));
          const between = new Set(order.slice(at + 1, next));
          if (next >= 0) expect(between).toEqual(others);
        });
      }),
    );
  });

  it('lets as many begin as are allowed, whoever enters, ends and gives up in whatever order', async () => {
    const steps = fc.array(
      fc.record({
        what: fc.constantFrom('enter', 'end', 'give up'),
        key: fc.constantFrom('a', 'b', 'c'),
        which: fc.nat(),
      }),
      { maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 3 }), async (all, concurrency) => {
        const admission = new Admission({ concurrency, queueLimit: 5 });
        const inside: (() => void)[] = [];
        const waiting = new Set<AbortController>();
        for (const { what, key, which } of all) {
          if (what === 'end') inside.splice(which % Math.max(1, inside.length), 1)[0]?.();
          if (what === 'give up') [...waiting][which % Math.max(1, waiting.size)]?.abort(new Error('left'));
          if (what === 'enter') {
            const leaving = new AbortController();
            const isFull = admission.running === concurrency && admission.queued === 5;
            const entered = admission.enter(key, leaving.signal);
            waiting.add(leaving);
            const ended = entered.then((leave) => inside.push(leave));
            void ended.catch(() => undefined).then(() => waiting.delete(leaving));
            if (isFull)
              await expect(entered).rejects.toMatchObject({
                status: 429,
                retryAfter: Math.ceil(5 / concurrency),
              });
          }
          await new Promise((resolve) => setImmediate(resolve));
          expect([inside.length, waiting.size]).toEqual([admission.running, admission.queued]);
          expect(admission.running).toBeLessThanOrEqual(concurrency);
          if (admission.queued > 0) expect(admission.running).toBe(concurrency);
        }
      }),
    );
  });

  it('counts the end of a request once', async () => {
    const admission = new Admission({ concurrency: 2, queueLimit: 0 });
    const leave = await admission.enter('a', stays);
    await admission.enter('a', stays);
    leave();
    leave();
    expect(admission.running).toBe(1);
  });
});
