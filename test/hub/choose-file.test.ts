import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseModel, type WantedFile } from '../../src/hub/choose-file.ts';
import { AmbiguousFileError, FileNotFoundError, NoGgufError } from '../../src/hub/errors.ts';

function choose(paths: readonly string[], wanted: Partial<WantedFile> = {}) {
  const files = paths.map((path) => ({ path }));
  const { chosen, others, passedOver } = chooseModel(files, {
    model: 'org/model',
    quantization: null,
    file: null,
    ...wanted,
  });
  return { files: chosen.files.map(({ path }) => path), others: others.map(({ name }) => name), passedOver };
}

const order = ['Q4_K_M', 'Q5_K_M', 'Q4_0', 'Q8_0', 'Q6_K', 'Q3_K_M', 'Q2_K'];
const others = ['F16', 'BF16', 'IQ2_XXS', 'Q4_K_S'];

describe('laws', () => {
  test('the first of the known order is taken, in any case and in any listing', () => {
    const present = fc.uniqueArray(fc.constantFrom(...order, ...others), { minLength: 2 });
    fc.assert(
      fc.property(present, fc.boolean(), fc.infiniteStream(fc.boolean()), (labels, lower, flips) => {
        const best = order.find((label) => labels.includes(label));
        fc.pre(best !== undefined);
        const name = (label: string): string => `model-${lower ? label.toLowerCase() : label}.gguf`;
        const listing = labels.map(name).sort(() => (flips.next().value ? 1 : -1));
        expect(choose(listing).files).toEqual([name(best ?? '')]);
        expect(choose(listing).others).toHaveLength(labels.length - 1);
      }),
    );
  });

  test('shards are taken whole, in order, whatever the listing; without one of them not at all', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 12 }), fc.nat(), (count, seed) => {
        const number = (index: number): string => String(index).padStart(5, '0');
        const whole = Array.from(
          { length: count },
          (_, index) => `q/m-Q8_0-${number(index + 1)}-of-${number(count)}.gguf`,
        );
        const turned = [...whole.slice(seed % count), ...whole.slice(0, seed % count)].reverse();
        expect(choose(turned).files).toEqual(whole);
        const torn = whole.filter((_, index) => index !== seed % count);
        expect(() => choose(torn)).toThrow(NoGgufError);
        expect(choose([...torn, 'm-Q2_K.gguf']).files).toEqual(['m-Q2_K.gguf']);
      }),
    );
  });

  test('what goes next to a model is never chosen, whatever it is asked by', () => {
    const companionName = fc.constantFrom(
      'mmproj-Q4_K_M.gguf',
      'model-mmproj-f16.gguf',
      'vision/mmproj.gguf',
      'model.mmproj-Q8_0.gguf',
      'model-draft-Q4_K_M.gguf',
      'draft.gguf',
      'imatrix.gguf',
      'model-eagle3-Q4_K_M.gguf',
    );
    fc.assert(
      fc.property(companionName, fc.constantFrom('model-Q2_K.gguf', 'a/MODEL.GGUF'), (companion, model) => {
        expect(choose([companion, model])).toEqual({ files: [model], others: [], passedOver: [companion] });
        expect(() => choose([companion])).toThrow(NoGgufError);
        expect(() => choose([companion, model], { file: companion })).toThrow(FileNotFoundError);
      }),
    );
  });
});

describe('asked for', () => {
  const listing = ['m-Q4_K_M.gguf', 'm-UD-Q4_K_M.gguf', 'm-UD-Q6_K_XL.gguf', 'm-F16.gguf', 'm-IQ4_NL.gguf'];

  test.each([
    ['q4_k_m', 'm-Q4_K_M.gguf'],
    ['UD-Q4_K_M', 'm-UD-Q4_K_M.gguf'],
    ['Q6_K_XL', 'm-UD-Q6_K_XL.gguf'],
    ['f16', 'm-F16.gguf'],
    ['iq4_nl', 'm-IQ4_NL.gguf'],
  ])('quantisation %s', (quantization, file) => {
    expect(choose(listing, { quantization }).files).toEqual([file]);
  });

  test('a file, by path or by its name alone; a shard stands for all', () => {
    const shards = ['a/m-00001-of-00002.gguf', 'a/m-00002-of-00002.gguf'];
    const all = [...shards, 'b/m-Q4_K_M.gguf', 'c/m-Q4_K_M.gguf'];
    expect(choose(all, { file: 'c/m-Q4_K_M.gguf' }).files).toEqual(['c/m-Q4_K_M.gguf']);
    expect(choose(all, { file: 'm-00002-of-00002.gguf' }).files).toEqual(shards);
    expect(() => choose(all, { file: 'm-Q4_K_M.gguf' })).toThrow(AmbiguousFileError);
    expect(() => choose(all, { file: 'none.gguf' })).toThrow(FileNotFoundError);
  });
});

test('nothing that says which of several is meant is an error that names them', () => {
  expect(() => choose(['one.gguf', 'two.gguf'])).toThrow(/one\.gguf, two\.gguf/);
  expect(() => choose(['a-Q4_K_M.gguf', 'b-Q4_K_M.gguf', 'a-Q8_0.gguf'])).toThrow(AmbiguousFileError);
  expect(choose(['only-F32.gguf', 'README.md', 'config.json']).files).toEqual(['only-F32.gguf']);
  expect(choose(['m-UD-Q4_K_M.gguf', 'm-Q8_0.gguf']).files).toEqual(['m-UD-Q4_K_M.gguf']);
  expect(() => choose(['model.safetensors'])).toThrow(NoGgufError);
});
