import fs from 'node:fs';
import fsPromises from 'node:fs/promises';
import path from 'node:path';
import { scanCacheDir } from '@huggingface/hub';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { findCachedModel, listCachedModels, removeCachedModels } from '../../src/hub/cached-models.ts';
import { trialFile } from '../../src/hub/local-file.ts';
import { parseModelReference } from '../../src/hub/reference.ts';
import { fakeCommit } from '../support/fake-hub.ts';
import { startFixture, toolModel } from './hub-fixture.ts';

const shared = toolModel(70_000, 1);
const files = {
  'm-Q4_K_M.gguf': shared,
  'm-Q8_0.gguf': toolModel(70_000, 2),
  // The same bytes under two names are one blob.
  'copy/m-Q5_K_M.gguf': shared,
  'big/m-F16-00001-of-00002.gguf': toolModel(70_000, 3),
  'big/m-F16-00002-of-00002.gguf': toolModel(70_000, 4),
};
const labels = ['Q4_K_M', 'Q8_0', 'Q5_K_M', 'F16'] as const;
const blobsOf = { Q4_K_M: ['a'], Q5_K_M: ['a'], Q8_0: ['b'], F16: ['c', 'd'] } as const;
const repositories = { 'org/model': { files }, 'other/model': { files } };

/** Bytes of the files of models below a folder; one with several names counts once. */
function bytesBelow(folder: string): number {
  const files = fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile());
  const sizes = new Map<bigint, number>();
  for (const { parentPath, name } of files) {
    const { ino, size } = fs.statSync(path.join(parentPath, name), { bigint: true });
    if (size > 70_000n) sizes.set(ino, Number(size));
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

test('other tools read what we write', async () => {
  const { pull, cache } = await startFixture({ repositories });
  await pull('org/model:Q8_0');
  const { repos, warnings } = await scanCacheDir(cache);
  expect(warnings).toEqual([]);
  expect(repos).toMatchObject([
    {
      id: { name: 'org/model', type: 'model' },
      revisions: [{ commitOid: fakeCommit, refs: ['main'], size: files['m-Q8_0.gguf'].length }],
    },
  ]);
});

/** Disks that have no links, as Windows without the right to make them, or as exFAT. */
const disks: readonly (readonly [string, readonly ('symlink' | 'link')[]])[] = [
  ['links', []],
  ['hard links', ['symlink']],
  ['copies', ['symlink', 'link']],
];

test.each(disks)(
  'what is removed is gone, what remains is whole, and bytes go with their last name: %s',
  async (names, lacking) => {
    for (const each of lacking)
      vi.spyOn(fsPromises, each).mockRejectedValue(Object.assign(new Error('EPERM'), { code: 'EPERM' }));
    onTestFinished(() => void vi.restoreAllMocks());
    const step = fc.record({ label: fc.constantFrom(...labels), pull: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 7 }), async (steps) => {
        const { pull, cache } = await startFixture({ repositories });
        const expected = new Set<(typeof labels)[number]>();
        for (const { label, pull: pulls } of steps) {
          const here = (await listCachedModels(cache)).models;
          if (pulls) {
            await pull(`org/model:${label}`);
            expected.add(label);
          } else if (expected.delete(label)) {
            const chosen = here.filter(({ quantization }) => quantization === label);
            const before = bytesBelow(cache);
            const { freed } = await removeCachedModels(cache, 'org/model', chosen);
            // Notes and folders come on top, and are no model.
            expect(Math.abs(before - bytesBelow(cache) - freed)).toBeLessThan(60_000);
          }
        }
        const { models } = await listCachedModels(cache);
        expect(models.map(({ quantization }) => quantization).sort()).toEqual([...expected].sort());
        for (const model of models)
          for (const file of model.files) expect(fs.statSync(file).size).toBeGreaterThan(70_000);
        const blobs = new Set([...expected].flatMap((label) => blobsOf[label]));
        const folder = path.join(cache, 'models--org--model', 'blobs');
        const kept = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
        // A copy needs its blob no longer; one that has the same bytes goes with it.
        if (names !== 'copies') expect(kept).toHaveLength(blobs.size);
        else expect(kept.length).toBeLessThanOrEqual(blobs.size);
      }),
      { numRuns: 12 },
    );
  },
);

describe('found without asking the Hub', () => {
  test('by revision, commit, quantisation and file', async () => {
    const { pull, cache } = await startFixture({ repositories });
    await pull('org/model:F16');
    await pull('org/model:Q8_0');
    const found = async (text: string) => (await findCachedModel(cache, parseModelReference(text)))?.name;
    expect(await found('org/model')).toBe('m-Q8_0.gguf');
    expect(await found('org/model:f16')).toBe('big/m-F16-00001-of-00002.gguf');
    expect(await found(`org/model@${fakeCommit}:Q8_0`)).toBe('m-Q8_0.gguf');
    expect(await found('org/model@v2')).toBeUndefined();
    expect(await found('other/model')).toBeUndefined();
    expect(await found('https://hf.co/org/model/blob/main/m-Q8_0.gguf')).toBe('m-Q8_0.gguf');
    expect(await found('org/model:Q2_K')).toBeUndefined();
  });
});

describe('what others left in the cache', () => {
  test('is neither listed nor harmed: other files, dangling links, files that are no folders', async () => {
    const { pull, cache } = await startFixture({ repositories });
    await pull('org/model:Q8_0');
    const snapshot = path.join(cache, 'models--org--model', 'snapshots', fakeCommit);
    fs.writeFileSync(path.join(snapshot, 'config.json'), '{}');
    fs.symlinkSync('../../blobs/none', path.join(snapshot, 'gone-Q6_K.gguf'));
    fs.writeFileSync(path.join(cache, 'models--stray--file'), '');
    fs.mkdirSync(path.join(cache, 'datasets--org--data', 'snapshots'), { recursive: true });
    const { models } = await listCachedModels(cache);
    expect(models.map(({ name }) => name)).toEqual(['m-Q8_0.gguf']);
    const { files: removed, freed } = await removeCachedModels(cache, 'org/model', models);
    expect(removed).toHaveLength(1);
    expect(freed).toBe(files['m-Q8_0.gguf'].length);
    expect(fs.readFileSync(path.join(snapshot, 'config.json'), 'utf8')).toBe('{}');
  });

  test('a link to elsewhere is removed, and what lies there is kept', async () => {
    const { pull, cache } = await startFixture({ repositories });
    const [file] = (await pull('org/model:Q8_0')).files;
    const own = path.join(cache, 'own.gguf');
    fs.writeFileSync(own, shared);
    fs.symlinkSync(own, path.join(path.dirname(file), 'mine-Q6_K.gguf'));
    const { models } = await listCachedModels(cache);
    await removeCachedModels(cache, 'org/model', models);
    expect(fs.readdirSync(cache)).toEqual(['own.gguf']);
  });

  test('what `idiolect try` found goes with its model', async () => {
    const { pull, cache } = await startFixture({ repositories });
    const [file] = (await pull('org/model:Q8_0')).files;
    fs.writeFileSync(trialFile(file), '{}');
    const { models } = await listCachedModels(cache);
    expect(models.map(({ name }) => name)).toEqual(['m-Q8_0.gguf']);
    await removeCachedModels(cache, 'org/model', models);
    expect(fs.readdirSync(cache)).toEqual([]);
  });

  test('an empty or missing cache is an empty list', async () => {
    const { cache } = await startFixture();
    expect(await listCachedModels(cache)).toEqual({ models: [], partials: [], quarantined: [] });
    expect(await listCachedModels(path.join(cache, 'none'))).toEqual({
      models: [],
      partials: [],
      quarantined: [],
    });
  });
});

test('a corrupt file is listed, and no model', async () => {
  const { pull, hub, cache } = await startFixture({ repositories });
  hub.fault = ({ range }) =>
    (range?.start ?? 0) > 60_000 ? { type: 'corrupt', at: range?.start ?? 0 } : undefined;
  await expect(pull('org/model')).rejects.toThrow(/corrupt/);
  expect(await listCachedModels(cache)).toMatchObject({
    models: [],
    partials: [],
    quarantined: [{ model: 'org/model' }],
  });
});

test('a broken download is listed, and goes with its model', async () => {
  const { pull, hub, cache } = await startFixture({ repositories });
  hub.fault = ({ range }) => ((range?.start ?? 0) > 60_000 ? { type: 'status', status: 503 } : undefined);
  await expect(pull('org/model')).rejects.toThrow();
  expect(await listCachedModels(cache)).toMatchObject({ models: [], partials: [{ model: 'org/model' }] });
  await removeCachedModels(cache, 'org/model', []);
  expect(fs.readdirSync(cache)).toEqual([]);
});
