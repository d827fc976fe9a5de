/** Keys of scripts that follow the conversation: what they promise, for any turns, without an engine. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UnsupportedOptionError } from '../../src/format/errors.ts';
import { RawArray } from '../../src/testing/gguf-types.ts';
import { pieceLevels } from '../support/scripted/piece-levels.ts';
import { scriptedModel } from '../support/scripted/scripted-model.ts';
import type { ScriptedTurn } from '../support/scripted/scripted-options.ts';
import { type TurnKey, turnKeys } from '../support/scripted/turn-keys.ts';

const tokens = (least: number, most: number) =>
  fc.array(fc.integer({ min: 0, max: 2 }), { minLength: least, maxLength: most });
const someTurns = fc.array(fc.record({ after: tokens(1, 5), script: tokens(1, 9) }), {
  minLength: 1,
  maxLength: 4,
});

function endsWith(text: readonly number[], tail: readonly number[]): boolean {
  return tail.length <= text.length && tail.every((token, at) => token === text.at(at - tail.length));
}

/** What stands before each token of the scripts, and after the last one. */
function places(turns: readonly ScriptedTurn[]) {
  return turns.flatMap(({ after, script }) =>
    [...script, null].map((next, index) => ({ text: [...after, ...script.slice(0, index)], next, index })),
  );
}

/** Two places where one text ends with the other, and something else comes next; prompts may go on from an end. */
function canBeToldApart(turns: readonly ScriptedTurn[]): boolean {
  const all = places(turns);
  return all.every((one) =>
    all.every(
      (other) =>
        one.next === other.next ||
        !endsWith(one.text, other.text) ||
        ([one, other].some(({ index }) => index === 0) && [one, other].some(({ next }) => next === null)),
    ),
  );
}

function keysOf(turns: readonly ScriptedTurn[]): readonly TurnKey[] | null {
  try {
    return turnKeys(turns);
  } catch (error) {
    if (error instanceof UnsupportedOptionError && error.option === 'turns') return null;
    throw error;
  }
}

describe('keys', () => {
  it('say what comes next, whatever comes before, and are refused only where nothing could', () => {
    const told = { apart: 0, not: 0 };
    fc.assert(
      fc.property(someTurns, tokens(0, 6), (turns, before) => {
        const keys = keysOf(turns);
        expect(keys !== null).toBe(canBeToldApart(turns));
        told[keys === null ? 'not' : 'apart'] += 1;
        for (const { text, next } of keys === null ? [] : places(turns)) {
          if (next === null) continue;
          const fitting = keys?.filter((key) => endsWith([...before, ...text], key.tokens));
          expect(fitting?.map((key) => key.next)).toEqual([next]);
        }
      }),
      { numRuns: 600 },
    );
    expect(Math.min(told.apart, told.not)).toBeGreaterThan(20);
  });

  it('of a first token hold all of `after`', () => {
    const turns = [{ after: [1, 2, 3], script: [4, 3, 5] }];
    const fitting = (text: readonly number[]) =>
      turnKeys(turns).flatMap((key) => (endsWith(text, key.tokens) ? key.next : []));
    expect(fitting([9, 1, 2, 3])).toEqual([4]);
    expect(fitting([9, 9, 2, 3])).toEqual([]);
    expect(fitting([3])).toEqual([]);
    expect(fitting([4, 3])).toEqual([5]);
  });

  it('find the way again after tokens that are not of the script', () => {
    const turns = [{ after: [1, 2, 3], script: [4, 5, 6, 7, 8] }];
    const foreign = [1, 2, 3, 4, 90, 91, 7];
    expect(turnKeys(turns).flatMap((key) => (endsWith(foreign, key.tokens) ? key.next : []))).toEqual([8]);
  });
});

describe('levels', () => {
  it('know the pieces at the end of a text, each out of two below', () => {
    fc.assert(
      fc.property(someTurns, tokens(8, 20), (turns, text) => {
        const levels = pieceLevels(keysOf(turns) ?? []);
        let known = text.map((_, at) =>
          numberAt(
            text,
            at,
            levels[0]?.pieces.map((piece) => piece.tokens),
          ),
        );
        for (const [index, { length, pieces }] of levels.entries()) {
          if (index === 0) continue;
          const distance = length - (levels[index - 1]?.length ?? 0);
          known = known.map(
            (newer, at) =>
              pieces.findIndex((piece) => piece.newer === newer && piece.older === known[at - distance]) + 1,
          );
          const expected = text.map((_, at) =>
            numberAt(
              text,
              at,
              pieces.map((piece) => piece.tokens),
            ),
          );
          expect(known).toEqual(expected);
        }
      }),
      { numRuns: 300 },
    );
  });
});

/** The number of the piece that ends at a place; 0 for none. */
function numberAt(text: readonly number[], at: number, pieces: readonly (readonly number[])[] = []): number {
  return pieces.findIndex((piece) => endsWith(text.slice(0, at + 1), piece)) + 1;
}

describe('a model with turns', () => {
  const vocabulary = { metadata: new Map(), size: 10 };
  const turns = [{ after: [1, 2], script: [3] }];
  const make = (options: object) => () =>
    Reflect.apply(scriptedModel, undefined, [{ vocabulary, turns, otherwise: 0, ...options }]);

  it.each([
    [{ turns: [] }, /an array of turns/],
    [{ turns: [{ after: [], script: [1] }] }, /neither empty/],
    [{ turns: [{ after: [1], script: [] }] }, /neither empty/],
    [{ turns: [{ after: [1], script: [2], role: 'assistant' }] }, /an array of turns/],
    [{ turns: [{ after: [1, 10], script: [2] }] }, /turns\[0\]\.after: token 10/],
    [{ turns: [...turns, { after: [1], script: [10] }] }, /turns\[1\]\.script: token 10/],
    [{ otherwise: 10 }, /otherwise: token 10/],
    [{ otherwise: null }, /eos_token_id/],
    [{ script: [1] }, /each of `turns` has its own/],
    [{ promptLength: 1 }, /wherever it stands/],
    [{ contextLength: 2 ** 21 }, /contextLength/],
    [{ vocabulary: undefined }, /vocabularyOf/],
    [
      { turns: [...turns, { after: [2], script: [4] }] },
      /after the tokens 2 comes token 4 in turns\[1\], and token 3 in turns\[0\]: give turns\[1\] a longer `after`/,
    ],
  ])('is not made of %j', (options, message) => {
    expect(make(options)).toThrow(UnsupportedOptionError);
    expect(make(options)).toThrow(message);
  });

  it('is made of the same turn twice, and of the end that the vocabulary marks', () => {
    const marked = new Map([['tokenizer.ggml.eos_token_id', { type: 4, value: 9 }]]);
    expect(make({ turns: [...turns, ...turns] })().length).toBeGreaterThan(0);
    expect(make({ vocabulary: { metadata: marked, size: 10 }, otherwise: undefined })()).toEqual(
      make({ vocabulary: { metadata: marked, size: 10 }, otherwise: 9 })(),
    );
    // A file that was read has its numbers as bytes.
    const read = new Map([
      ['tokenizer.ggml.eos_token_id', { type: 4, value: new RawArray(1, Uint8Array.of(9, 0, 0, 0)) }],
    ]);
    expect(make({ vocabulary: { metadata: read, size: 10 }, otherwise: undefined })).not.toThrow();
  });
});

const vocabulary = { metadata: new Map(), size: 10 };

it.each([
  { script: [10] },
  { script: [-1] },
  { promptLength: undefined },
  { contextLength: 4, script: [1, 2, 3], promptLength: 3 },
])('a script by position is not %j', (options) => {
  const right = { vocabulary, script: [1], promptLength: 1 };
  expect(() => scriptedModel({ ...right, ...options } as typeof right)).toThrow(UnsupportedOptionError);
});
