/** Files that lie, through `readGgufHeader`, and all the way through `loadModel` in a process of its own. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { IdiolectError } from '../../src/format/errors.ts';
import { checkModelFile } from '../../src/hub/gguf/check-model-file.ts';
import { ggufBytes } from '../support/gguf-parts.ts';
import { honest, hostileModels, mutatedModel } from '../support/hostile-models.ts';
import { loadHostile } from '../support/load-hostile.ts';

const models = hostileModels();
const isLong = process.env.LAWS === 'long';

function temporaryFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-hostile-'));
  onTestFinished(() => fs.rmSync(folder, { recursive: true }));
  return folder;
}

test('the honest file that they are made from is taken', async () => {
  const file = path.join(temporaryFolder(), 'model.gguf');
  fs.writeFileSync(file, ggufBytes(honest));
  expect(await checkModelFile(file)).toMatchObject({ architecture: 'llama', shard: null });
});

test(`${models.length} kinds and mutants: the check takes them or says in a typed error why not`, async () => {
  const folder = temporaryFolder();
  const mutants = Array.from({ length: isLong ? 1000 : 100 }, (_, seed) => mutatedModel(seed));
  let refused = 0;
  for (const { name, files } of [...models, ...mutants]) {
    for (const [file, bytes] of Object.entries(files)) fs.writeFileSync(path.join(folder, file), bytes);
    const first = path.join(folder, Object.keys(files)[0] ?? '');
    const outcome = await checkModelFile(first).catch((error: unknown) => error);
    if (outcome instanceof Error) expect(outcome, name).toBeInstanceOf(IdiolectError);
    refused += outcome instanceof Error ? 1 : 0;
    for (const file of Object.keys(files)) fs.rmSync(path.join(folder, file));
  }
  expect(refused).toBeGreaterThan(150);
});

test(
  'the process that loads them lives on, and throws nothing but typed errors',
  async () => {
    // Each takes the engine a moment; the long run takes all of them, and 1,000 mutants.
    const sampled = isLong ? models : models.filter((_, index) => index % 12 === 0);
    const mutants = Array.from({ length: isLong ? 1000 : 8 }, (_, seed) => mutatedModel(seed));
    const outcomes = await loadHostile([...sampled, ...mutants], temporaryFolder(), 300_000);
    const deadly = outcomes.filter(({ outcome }) => ['killed', 'silent', 'untyped'].includes(outcome));
    expect(deadly).toEqual([]);
  },
  isLong ? 6 * 3_600_000 : 900_000,
);
