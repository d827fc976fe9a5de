/** Sequences are handed out in turn, to prompts that they hold already first, and none is lost to a chat that was cancelled. */
import fc from 'fast-check';
import type { LlamaContextSequence, Token } from 'node-llama-cpp';
import { describe, expect, it, vi } from 'vitest';
import { SequencePool } from '../../src/runtime/node-llama-cpp/sequences/sequence-pool.ts';
import { maxPassed, maxPause } from '../../src/runtime/node-llama-cpp/sequences/sequence-queue.ts';

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

/** What is evaluated where each of `prompts` waits from the beginning, and in which order they begin. */
async function evaluated(prompts: readonly (readonly Token[])[], sequences: number) {
  const getSequence = () => ({ contextTokens: [] }) as unknown as LlamaContextSequence;
  const pool = new SequencePool({ totalSequences: sequences, getSequence });
  const held = await Promise.all(Array.from({ length: sequences }, () => pool.lease([], undefined)));
  const order: number[] = [];
  const counts = { tokens: 0 };
  const waiting = prompts.map(async (prompt, index) => {
    const { sequence, release } = await pool.lease(prompt, undefined);
    order.push(index);
    const different = prompt.findIndex((token, at) => token !== sequence.contextTokens[at]);
    counts.tokens += different < 0 ? 0 : prompt.length - different;
    Object.assign(sequence, { contextTokens: prompt });
    release();
  });
  for (const { release } of held) release();
  await Promise.all(waiting);
  return { order, tokens: counts.tokens };
}

const token = (value: number): Token => value as Token;

/** A prompt of an application's own 200 tokens and 10 of a question. */
function promptOf(application: number, question: number): readonly Token[] {
  const own = Array.from({ length: 200 }, () => token(application));
  return [...own, ...Array.from({ length: 10 }, () => token(1000 + question))];
}

describe('a prompt that waits', () => {
  it('gets the sequence that holds its beginning: two applications that ask in turns', async () => {
    const prompts = Array.from({ length: 8 }, (_, index) => promptOf(index % 2, index));
    const { order, tokens } = await evaluated(prompts, 1);
    // One application, then the other: in turns, 8 × 210 tokens would be evaluated.
    expect(order).toEqual([0, 2, 4, 6, 1, 3, 5, 7]);
    expect(tokens).toBe(2 * 200 + 8 * 10);
  });

  it('is not passed for a greeting that everybody has', async () => {
    const greeting = Array.from({ length: 60 }, () => token(1));
    const prompts = [0, 1, 0, 1].map((kind, index) => [...(kind === 0 ? greeting : []), token(10 + index)]);
    expect((await evaluated(prompts, 1)).order).toEqual([0, 1, 2, 3]);
  });

  it('is passed by a few at most, whatever they bring', async () => {
    const applications = fc.array(fc.nat({ max: 3 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(applications, fc.integer({ min: 1, max: 3 }), async (asked, sequences) => {
        const { order } = await evaluated(
          asked.map((application, index) => promptOf(application, index)),
          sequences,
        );
        expect([...order].sort((one, other) => one - other)).toEqual(asked.map((_, index) => index));
        order.forEach((index, at) => {
          const passed = order.slice(0, at).filter((other) => other > index);
          expect(passed.length).toBeLessThanOrEqual(maxPassed);
        });
      }),
    );
  });
});

/** A sequence whose state another one can take over, if `copies` says so. */
function copying(copies: 'always' | 'fails' | 'never') {
  let tokens: readonly Token[] = [];
  const told: string[] = [];
  const own = {
    needsCheckpoints: false,
    get contextTokens() {
      return tokens;
    },
    hold: (held: readonly Token[]) => {
      tokens = held;
    },
    clearHistory: async () => {
      told.push('cleared');
      tokens = [];
    },
    told,
  };
  if (copies === 'never') return own;
  return {
    ...own,
    get contextTokens() {
      return tokens;
    },
    _copyStateFromOtherSequence: async (other: LlamaContextSequence, length: number) => {
      told.push(`copied ${length}`);
      if (copies === 'fails') throw new RangeError('no room');
      tokens = other.contextTokens.slice(0, length);
      return true;
    },
  };
}
type Copying = ReturnType<typeof copying>;

function poolWith(sequences: readonly Copying[]): SequencePool {
  const left = [...sequences];
  return new SequencePool({
    totalSequences: sequences.length,
    getSequence: () => left.shift() as unknown as LlamaContextSequence,
  });
}

describe('a lease', () => {
  it('is alone in a pool of one', async () => {
    for (const size of [1, 2]) expect((await poolOf(size).lease([], undefined)).alone).toBe(size === 1);
  });

  it('has the free sequence that holds the longest beginning of the prompt, else an empty one', async () => {
    const held = fc.array(fc.tuple(fc.nat(2), fc.nat(2)), { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(held, fc.nat(2), async (list, asked) => {
        const sequences = [...list.map(() => copying('always')), copying('always')];
        const prompt = promptOf(asked, 0);
        const wholes = list.map(([application, cut]) => promptOf(application, 0).slice(0, 200 - cut));
        for (const [at, whole] of wholes.entries()) sequences[at]?.hold(whole);
        const { sequence } = await poolWith(sequences).lease(prompt, undefined);
        const shared = wholes.map((whole) => (whole[0] === prompt[0] ? whole.length : 0));
        const most = Math.max(...shared);
        const at = most > 0 ? shared.indexOf(most) : list.length;
        expect(sequences.indexOf(sequence as unknown as Copying)).toBe(at);
      }),
      { numRuns: 60 },
    );
  });

  it.each([
    ['always', 200, ['copied 200']],
    ['fails', 0, undefined],
    ['never', 0, []],
  ] as const)(
    'takes over what another has of the prompt where the engine copies: %s',
    async (copies, taken, told) => {
      const [busy, free] = [copying(copies), copying(copies)];
      const pool = poolWith([busy, free]);
      const first = await pool.lease(promptOf(1, 1), undefined);
      busy.hold(promptOf(1, 1));
      first.evaluated();
      const second = await pool.lease(promptOf(1, 2), undefined);
      await second.share(undefined);
      expect(second.sequence.contextTokens).toHaveLength(taken);
      // After a copy that failed nothing is left of it.
      if (told === undefined) expect(free.told.slice(0, 2)).toEqual(['copied 200', 'cleared']);
      else expect(free.told).toEqual(told);
      expect(busy.told).toEqual([]);
    },
  );

  it('waits for the beginning that an earlier one evaluates, until it has it', async () => {
    const [busy, free] = [copying('always'), copying('always')];
    const pool = poolWith([busy, free]);
    const first = await pool.lease(promptOf(1, 1), undefined);
    const second = await pool.lease(promptOf(1, 2), undefined);
    let isShared = false;
    const sharing = second.share(undefined).then(() => {
      isShared = true;
    });
    await new Promise(setImmediate);
    expect(isShared).toBe(false);
    busy.hold(promptOf(1, 1));
    first.evaluated();
    await sharing;
    expect(free.told).toEqual(['copied 200']);
  });

  it('copies nothing for a greeting that both have', async () => {
    const [busy, free] = [copying('always'), copying('always')];
    const pool = poolWith([busy, free]);
    await pool.lease([token(1), token(2)], undefined);
    busy.hold([token(1), token(2)]);
    const second = await pool.lease([token(1), token(3)], undefined);
    await second.share(undefined);
    expect(free.told).toEqual([]);
  });
});

describe('who waits for a sequence', () => {
  /** Whether one who waits is let go by then, where the sequence's holder does so much. */
  async function isLetGo(after: number, hold: (lease: Lease) => void): Promise<boolean> {
    vi.useFakeTimers();
    try {
      const pool = poolOf(1);
      const held = await pool.lease([], undefined);
      hold(held);
      let isGone = false;
      pool.lease([], undefined).catch(() => {
        isGone = true;
      });
      await vi.advanceTimersByTimeAsync(after);
      return isGone;
    } finally {
      vi.useRealTimers();
    }
  }
  type Lease = Awaited<ReturnType<SequencePool['lease']>>;
  const nothing = () => undefined;

  it('is let go when nobody has used it for long, and not before', async () => {
    expect(await isLetGo(maxPause - 1, nothing)).toBe(false);
    expect(await isLetGo(maxPause, nothing)).toBe(true);
  });

  it('waits as long as a step runs', async () => {
    const runs = ({ use }: Lease) => void use(() => new Promise<void>(nothing));
    expect(await isLetGo(5 * maxPause, runs)).toBe(false);
  });

  it('waits on after a step that has ended, also one that failed, as after any other use', async () => {
    for (const isFailure of [false, true]) {
      const usesLate = ({ use }: Lease) => {
        const step = async () => {
          if (isFailure) throw new RangeError('a step fails');
        };
        setTimeout(() => void use(step).catch(nothing), maxPause / 2);
      };
      expect(await isLetGo(maxPause, usesLate)).toBe(false);
      expect(await isLetGo(2 * maxPause, usesLate)).toBe(true);
    }
  });

  it('is told the reason when the context is disposed of', async () => {
    const pool = poolOf(1);
    await pool.lease([], undefined);
    const waiting = pool.lease([], undefined);
    pool.close(new Error('no longer there'));
    await expect(waiting).rejects.toThrow('no longer there');
  });
});
