/** Regenerating gives exactly what is checked in, and what is checked in is all there is. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { sha256 } from '../../src/format/sha256.ts';
import { emitRegistry } from '../../src/generate/emit-registry.ts';
import { emitFiles } from '../../src/generate/generate-model.ts';
import { generatedInputs } from '../support/generated-corpus.ts';
import { sampled } from '../support/sample.ts';

const folder = fileURLToPath(new URL('../../generated', import.meta.url));

it('makes what lies in generated/', async () => {
  const inputs = await generatedInputs();
  const folders = (await fs.readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(inputs.map(({ name }) => name).sort());
  for (const { name, templateSource } of sampled(inputs, 4)) {
    const { format, warnings } = analyzeTemplate(templateSource);
    const files = Object.entries(emitFiles(format, 'js', warnings));
    expect((await fs.readdir(path.join(folder, name))).sort()).toEqual(files.map(([file]) => file).sort());
    for (const [file, content] of files) {
      expect(await fs.readFile(path.join(folder, name, file), 'utf8'), `${name}/${file}`).toBe(content);
    }
  }
  const entries = inputs.map(({ name, templateSource }) => ({
    name,
    templateSha256: sha256(templateSource),
  }));
  expect(await fs.readFile(path.join(folder, 'index.ts'), 'utf8')).toBe(emitRegistry(entries));
}, 600_000);
