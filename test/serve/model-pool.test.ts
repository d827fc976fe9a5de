/** Models that are opened on demand: once, within the memory that they may take, and never closed under anybody. */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import type { ModelEntry, ServableModel } from '../../src/serve/index.ts';
import { ModelPool } from '../../src/serve/model-pool.ts';
import { heldModel } from './held-model.ts';

/** Entries that say when they are opened and closed, and never lie about the memory that is taken. */
class Openings {
  readonly log: string[] = [];
  readonly open = new Map<string, number>();
  most = 0;

  entry(name: string, bytes: number): ModelEntry {
    return {
      name,
      bytes,
      open: async () => {
        this.log.push(`open ${name}`);
        this.open.set(name, bytes);
        this.most = Math.max(this.most, this.taken);
        await Promise.resolve();
        return this.#model(name);
      },
    };
  }

  get taken(): number {
    return [...this.open.values()].reduce((sum, bytes) => sum + bytes, 0);
  }

  #model(name: string): ServableModel {
    return {
      ...heldModel(1),
      name,
      dispose: async () => {
        await Promise.resolve();
        this.open.delete(name);
        this.log.push(`close ${name}`);
      },
    };
  }
}

/** Lets everything that can go on go on. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a pool of models', () => {
  it('opens a model when it is first asked for, once for all who ask', async () => {
    const openings = new Openings();
    const pool = new ModelPool([openings.entry('a', 1), openings.entry('b', 1)], { memoryLimit: 10 });
    expect(pool.list().map(({ name, model }) => [name, model])).toEqual([
      ['a', null],
      ['b', null],
    ]);
    const borrowed = await Promise.all([pool.borrow('b'), pool.borrow('b')]);
    expect(borrowed.map(({ name }) => name)).toEqual(['b', 'b']);
    expect(openings.log).toEqual(['open b']);
    for (const { release } of borrowed) release();
    // A request that names none asks the first.
    expect((await pool.borrow(null)).name).toBe('a');
    await pool.close();
    expect([...openings.open.keys()]).toEqual([]);
  });

  it('closes a model that has been idle for long enough, and opens it again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const openings = new Openings();
      const pool = new ModelPool([openings.entry('a', 1)], { memoryLimit: 10, modelIdleMs: 1000 });
      const first = await pool.borrow('a');
      vi.advanceTimersByTime(5000);
      expect(openings.log).toEqual(['open a']);
      first.release();
      vi.advanceTimersByTime(900);
      const second = await pool.borrow('a');
      vi.advanceTimersByTime(900);
      second.release();
      vi.advanceTimersByTime(999);
      await settle();
      expect(openings.log).toEqual(['open a']);
      vi.advanceTimersByTime(1);
      // Who asks now gets the old one or a new one, never both at a time.
      const third = await pool.borrow('a');
      expect(openings.most).toBe(1);
      third.release();
      vi.advanceTimersByTime(1000);
      await settle();
      expect(openings.log.at(-1)).toBe('close a');
      expect(pool.list()[0]?.model).toBeNull();
      await pool.close();
    } finally {
      vi.useRealTimers();
    }
  });

  it('closes the idle model that was used longest ago, and no more than it has to', async () => {
    const openings = new Openings();
    const entries = ['a', 'b', 'c', 'd'].map((name) => openings.entry(name, 4));
    const pool = new ModelPool(entries, { memoryLimit: 12 });
    for (const name of ['a', 'b', 'c', 'a']) (await pool.borrow(name)).release();
    await pool.borrow('d');
    expect(openings.log).toEqual(['open a', 'open b', 'open c', 'close b', 'open d']);
  });

  it('waits for a busy model', async () => {
    const openings = new Openings();
    const pool = new ModelPool([openings.entry('a', 4), openings.entry('b', 4)], { memoryLimit: 7 });
    const busy = await pool.borrow('a');
    const waiting = pool.borrow('b');
    await settle();
    expect(openings.log).toEqual(['open a']);
    busy.release();
    await waiting;
    expect(openings.log).toEqual(['open a', 'close a', 'open b']);
  });

  it('refuses at the start a model that can never fit', async () => {
    const openings = new Openings();
    const entries = [openings.entry('small', 1), openings.entry('big', 8)];
    expect(() => new ModelPool(entries, { memoryLimit: 7 })).toThrow(
      'memoryLimit: model "big" alone takes 8 bytes of memory, and 7 are allowed',
    );
    expect((await new ModelPool(entries, { memoryLimit: 8 }).borrow('big')).name).toBe('big');
  });

  it('refuses a model that nobody knows', async () => {
    const openings = new Openings();
    const pool = new ModelPool([openings.entry('big', 8)], { memoryLimit: 8 });
    const unknown = pool.borrow('toString');
    await expect(unknown).rejects.toMatchObject({ status: 404, param: 'model' });
    await expect(unknown).rejects.toThrow(
      'no model is called "toString", only big; with anyModel (--any-model)',
    );
    expect(openings.log).toEqual([]);
  });

  it('knows a model with and without the ending of its file, unless that could be two', async () => {
    const openings = new Openings();
    const pool = new ModelPool(
      ['toy.gguf', 'other', 'two', 'two.gguf'].map((name) => openings.entry(name, 1)),
      { memoryLimit: 9 },
    );
    for (const name of ['toy', 'toy.gguf', 'toy:latest']) expect(pool.nameOf(name)).toBe('toy.gguf');
    expect(pool.nameOf('other.gguf')).toBe('other');
    for (const name of ['two', 'two.gguf']) expect(pool.nameOf(name)).toBe(name);
    expect(() => pool.nameOf('two.GGUF')).toThrow('no model is called');
  });

  it('lists a model by its file without the ending, as the command does, unless another has that name', () => {
    const given = ['toy.gguf', 'a.GGUF', 'two', 'two.gguf', 'b:latest', '.gguf'];
    const models = given.map((name): ServableModel => ({ ...heldModel(1), name }));
    const names = new ModelPool(models, { memoryLimit: 9 }).list().map(({ name }) => name);
    expect(names).toEqual(['toy', 'a', 'two', 'two.gguf', 'b:latest', '.gguf']);
    const alone = new ModelPool(models.slice(0, 1), { memoryLimit: 9 });
    for (const name of ['toy', 'toy.gguf', 'toy:latest']) expect(alone.nameOf(name)).toBe('toy');
  });

  it('tries again after an opening that failed, and keeps no memory for it', async () => {
    const openings = new Openings();
    let failures = 0;
    const fails: ModelEntry = {
      name: 'fails',
      bytes: 4,
      open: async () => {
        failures += 1;
        throw new Error('no such file');
      },
    };
    const pool = new ModelPool([fails, openings.entry('b', 4)], { memoryLimit: 4 });
    for (let round = 1; round <= 2; round += 1) {
      const both = await Promise.allSettled([pool.borrow('fails'), pool.borrow('fails')]);
      expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
      expect(failures).toBe(round);
    }
    expect((await pool.borrow('b')).name).toBe('b');
  });

  it('lets a client go that does not wait for its opening, and opens it for the others', async () => {
    const openings = new Openings();
    const slow: { go: () => void } = { go: () => undefined };
    const waited = new Promise<void>((resolve) => {
      slow.go = resolve;
    });
    const { open, ...entry } = openings.entry('slow', 4);
    const pool = new ModelPool([{ ...entry, open: () => waited.then(open) }, openings.entry('b', 4)], {
      memoryLimit: 4,
    });
    const leaving = new AbortController();
    const left = pool.borrow('slow', leaving.signal);
    const stays = pool.borrow('slow', new AbortController().signal);
    await settle();
    leaving.abort(new Error('the client left'));
    await expect(left).rejects.toThrow('the client left');
    await expect(pool.borrow('slow', leaving.signal)).rejects.toThrow('the client left');
    slow.go();
    (await stays).release();
    // Nobody has it any more, so that it makes room.
    await pool.borrow('b');
    expect(openings.log).toEqual(['open slow', 'close slow', 'open b']);
  });

  it('has the first for a name that no model has, where it may', async () => {
    const openings = new Openings();
    const pool = new ModelPool([openings.entry('a', 1), openings.entry('b', 1)], {
      memoryLimit: 2,
      anyModel: true,
    });
    expect((await pool.borrow('gpt-5')).name).toBe('a');
    expect((await pool.borrow('b')).name).toBe('b');
  });

  it('leaves a model open that it was given open', async () => {
    const openings = new Openings();
    const given = await openings.entry('given', 100).open();
    const pool = new ModelPool([given, openings.entry('b', 4)], { memoryLimit: 4 });
    (await pool.borrow('given')).release();
    (await pool.borrow('b')).release();
    await pool.close();
    expect([...openings.open.keys()]).toEqual(['given']);
  });

  it.each([[[heldModel(1), heldModel(1)]], [[{ name: 'neither opened nor to be opened' } as ServableModel]]])(
    'refuses %j',
    (models) => {
      expect(() => new ModelPool(models, { memoryLimit: 1 })).toThrow(
        expect.objectContaining({ option: 'models' }),
      );
    },
  );

  it('keeps its limit, and closes nothing that is in use, whoever comes and goes in whatever order', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 2, maxLength: 4 });
    const requests = fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 })), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 5, max: 9 }), requests, async (bytes, limit, asked) => {
        const openings = new Openings();
        const pool = new ModelPool(
          bytes.map((size, index) => openings.entry(String(index), size)),
          { memoryLimit: limit },
        );
        await Promise.all(
          asked.map(async ([name, moments]) => {
            const borrowed = await pool.borrow(String(name % bytes.length));
            for (let moment = 0; moment <= moments; moment += 1) {
              expect(openings.open.has(borrowed.name)).toBe(true);
              await Promise.resolve();
            }
            borrowed.release();
          }),
        );
        expect(openings.most).toBeLessThanOrEqual(limit);
        await pool.close();
        expect(openings.taken).toBe(0);
      }),
    );
  });
});
