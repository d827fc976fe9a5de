/** Drawing a token: only what is allowed, as often as its probability says, and the same for the same seed. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaultSampling } from '../../../src/runtime/chat/sampling-rules.ts';
import type { EngineSampling, Mask } from '../../../src/runtime/engine/engine.ts';
import { likeliest } from '../../../src/runtime/engine/sampling/candidates.ts';
import { Sampler } from '../../../src/runtime/engine/sampling/sampler.ts';

const logitLists = fc.array(fc.float({ min: -20, max: 20, noNaN: true }), { minLength: 1, maxLength: 60 });

/** A mask of these tokens, which tells them as a list or one by one. */
function maskOf(allowed: ReadonlySet<number>, isList: boolean, free = true): Mask {
  return {
    bias: null,
    free,
    few: () => (isList ? [...allowed] : null),
    allows: (token) => allowed.has(token),
    bitmap: () => null,
    grammar: null,
    follows: false,
  };
}

function sampler(options: Partial<EngineSampling>): Sampler {
  return new Sampler({ ...defaultSampling, seed: 1, ...options }, (token) => (token === 0 ? '\n' : 'a'));
}

/** How often each token is drawn. */
function frequencies(logits: readonly number[], options: Partial<EngineSampling>, mask: Mask | null = null) {
  const draws = 4000;
  const drawing = sampler(options);
  const counts = new Map<number, number>();
  for (let count = 0; count < draws; count += 1) {
    const token = drawing.draw(Float32Array.from(logits), mask, [])?.token ?? -1;
    counts.set(token, (counts.get(token) ?? 0) + 1 / draws);
  }
  return counts;
}

describe('candidates', () => {
  it('are the likeliest that a mask allows, in order, however it tells them', () => {
    fc.assert(
      fc.property(
        logitLists,
        fc.func(fc.boolean()),
        fc.integer({ min: 1, max: 70 }),
        (list, chosen, wanted) => {
          const logits = Float32Array.from(list);
          const allowed = new Set([...logits.keys()].filter(chosen));
          const sorted = [...allowed]
            .sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0) || a - b)
            .slice(0, wanted);
          for (const isList of [true, false])
            expect(likeliest(logits, maskOf(allowed, isList), wanted).map(({ token }) => token)).toEqual(
              sorted,
            );
        },
      ),
    );
  });

  it('leave out what a bias forbids, and there may be none', () => {
    const forbidden = Float32Array.of(1, Number.NEGATIVE_INFINITY);
    expect(likeliest(forbidden, null, 5).map(({ token }) => token)).toEqual([0]);
    expect(sampler({}).draw(forbidden, maskOf(new Set([1]), false), [])).toBeUndefined();
  });
});

describe('a draw', () => {
  it('takes the likeliest allowed token at temperature 0, and an allowed one at any other', () => {
    fc.assert(
      fc.property(
        logitLists,
        fc.func(fc.boolean()),
        fc.double({ min: 0, max: 5, noNaN: true }),
        (list, chosen, t) => {
          const allowed = new Set([...list.keys()].filter(chosen));
          const drawn = sampler({ temperature: t }).draw(
            Float32Array.from(list),
            maskOf(allowed, false),
            [],
          )?.token;
          if (allowed.size === 0) expect(drawn).toBeUndefined();
          else if (t === 0)
            expect(list[drawn ?? -1]).toBe(Math.max(...[...allowed].map((token) => list[token] ?? 0)));
          else expect(allowed).toContain(drawn);
        },
      ),
    );
  });

  it('is as frequent as its probability', () => {
    const odds = [0.5, 0.3, 0.15, 0.05];
    const logits = odds.map(Math.log);
    const plain = frequencies(logits, { temperature: 1, topK: 0, topP: 1 });
    for (const [token, chance] of odds.entries()) expect(plain.get(token)).toBeCloseTo(chance, 1);
    const hot = frequencies(logits, { temperature: 2, topK: 0, topP: 1 });
    const roots = odds.map(Math.sqrt);
    const sum = roots.reduce((total, root) => total + root, 0);
    for (const [token, root] of roots.entries()) expect(hot.get(token)).toBeCloseTo(root / sum, 1);
  });

  it.each([
    ['top-k', { topK: 2, topP: 1 }, [0, 1]],
    ['top-p', { topK: 0, topP: 0.7 }, [0, 1]],
    ['min-p', { topK: 0, topP: 1, minP: 0.25 }, [0, 1, 2]],
    ['XTC', { topK: 0, topP: 1, xtc: { probability: 1, threshold: 0.2 } }, [1, 2, 3]],
  ])('is among those that %s leaves', (_, options, left) => {
    const logits = [0.5, 0.3, 0.15, 0.05].map(Math.log);
    expect([...frequencies(logits, { temperature: 1, ...options }).keys()].sort()).toEqual(left);
  });

  it('is the same for the same seed, and tells its probability', () => {
    const logits = [0.5, 0.3, 0.2].map(Math.log);
    const draws = (seed: number) => {
      const drawing = sampler({ temperature: 1, topP: 1, seed, logprobs: 2 });
      return Array.from({ length: 40 }, () => drawing.draw(Float32Array.from(logits), null, []));
    };
    expect(draws(3)).toEqual(draws(3));
    expect(draws(3)).not.toEqual(draws(4));
    for (const drawn of draws(5)) {
      expect(drawn?.confidence).toBeCloseTo([0.5, 0.3, 0.2][drawn?.token ?? 0] ?? 0, 5);
      expect([...(drawn?.probabilities?.keys() ?? [])]).toEqual([0, 1]);
    }
  });
});

describe('penalties', () => {
  it('lower what was written, in free text alone', () => {
    const draw = (options: Partial<EngineSampling>, free: boolean, written: readonly number[]) =>
      sampler(options).draw(Float32Array.of(0, 2, 1.9), maskOf(new Set([0, 1, 2]), false, free), written)
        ?.token;
    for (const options of [{ repeatPenalty: 1.5 }, { frequencyPenalty: 1 }, { presencePenalty: 1 }]) {
      expect(draw(options, true, [1])).toBe(2);
      expect(draw(options, false, [1])).toBe(1);
      expect(draw({ ...options, repeatLastN: 1 }, true, [1, 0])).toBe(1);
      expect(draw({ ...options, repeatLastN: 0 }, true, [1])).toBe(1);
    }
    expect(draw({ frequencyPenalty: 0.08 }, true, [1, 1, 2])).toBe(1);
    expect(draw({ frequencyPenalty: 0.2 }, true, [1, 1, 2])).toBe(2);
  });

  it('DRY lowers what would repeat a sequence, and a breaker ends one', () => {
    const draw = (written: readonly number[]) =>
      sampler({ dry: { multiplier: 1 } }).draw(Float32Array.of(0, 0, 0, 2, 1.5), null, written)?.token;
    expect(draw([1, 2, 3, 1, 2])).toBe(4);
    expect(draw([2, 3, 1, 2])).toBe(3);
    expect(draw([0, 2, 3, 0, 2])).toBe(3);
  });
});
