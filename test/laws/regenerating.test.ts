/** Regenerating gives exactly what is checked in, and what is checked in is all there is. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { emitRegistry, type RegistryEntry } from '../../src/generate/emit-registry.ts';
import { emitFiles } from '../../src/generate/generate-model.ts';
import { generatedInputs } from '../support/generated-corpus.ts';

const folder = fileURLToPath(new URL('../../generated', import.meta.url));

it('makes what lies in generated/', async () => {
  const inputs = await generatedInputs();
  const folders = (await fs.readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(inputs.map(({ name }) => name).sort());
  const entries: RegistryEntry[] = [];
  for (const { name, templateSource } of inputs) {
    const { format } = analyzeTemplate(templateSource);
    entries.push({ name, templateSha256: format.templateSha256 });
    const files = Object.entries(emitFiles(format));
    expect((await fs.readdir(path.join(folder, name))).sort()).toEqual(files.map(([file]) => file).sort());
    for (const [file, content] of files) {
      expect(await fs.readFile(path.join(folder, name, file), 'utf8'), `${name}/${file}`).toBe(content);
    }
  }
  expect(await fs.readFile(path.join(folder, 'index.ts'), 'utf8')).toBe(emitRegistry(entries));
}, 180_000);
