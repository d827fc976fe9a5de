/** Regenerating gives exactly what is checked in, and what is checked in is all there is. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { emitRegistry } from '../../src/codegen/emit-registry.ts';
import { generatedCorpus } from '../support/generated-corpus.ts';

const folder = fileURLToPath(new URL('../../generated', import.meta.url));

it('makes what lies in generated/', async () => {
  const models = await generatedCorpus();
  const folders = (await fs.readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(models.map(({ name }) => name).sort());
  for (const { name, files } of models) {
    expect((await fs.readdir(path.join(folder, name))).sort()).toEqual([...files.keys()].sort());
    for (const [file, content] of files) {
      expect(await fs.readFile(path.join(folder, name, file), 'utf8'), `${name}/${file}`).toBe(content);
    }
  }
  const entries = models.map(({ name, analysis }) => ({
    name,
    templateSha256: analysis.format.templateSha256,
  }));
  expect(await fs.readFile(path.join(folder, 'index.ts'), 'utf8')).toBe(emitRegistry(entries));
});
