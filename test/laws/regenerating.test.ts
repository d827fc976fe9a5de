/** Regenerating gives exactly what is checked in, and what is checked in is all there is. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { sharedParser, withoutFingerprint } from '../../scripts/generate/share-parsers.ts';
import { analyzeTemplate } from '../../src/analysis/analyze-template.ts';
import { sha256 } from '../../src/format/sha256.ts';
import { emitRegistry } from '../../src/generate/emit-registry.ts';
import { emitFiles, generateModel } from '../../src/generate/generate-model.ts';
import { generatedInputs, toyInputs } from '../support/generated-corpus.ts';
import { sampled } from '../support/sample.ts';

const folder = fileURLToPath(new URL('../../generated', import.meta.url));

it('the generator makes what lies in generated/', async () => {
  const inputs = await generatedInputs();
  const folders = (await fs.readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  expect(folders.map(({ name }) => name).sort()).toEqual(inputs.map(({ name }) => name).sort());
  for (const { name, templateSource } of sampled(inputs, 4)) {
    const { format, warnings } = analyzeTemplate(templateSource);
    const files = Object.entries(emitFiles(format, 'js', warnings));
    expect((await fs.readdir(path.join(folder, name))).sort()).toEqual(files.map(([file]) => file).sort());
    for (const [file, content] of files) {
      const text = await fs.readFile(path.join(folder, name, file), 'utf8');
      const owner = /from '\.\.\/(.+)\/parser\.js'/.exec(text)?.[1];
      if (owner === undefined) expect(text, `${name}/${file}`).toBe(content);
      else await expectShared(text, content, owner, format.templateSha256);
    }
  }
  const entries = inputs.map(({ name, templateSource }) => ({
    name,
    templateSha256: sha256(templateSource),
  }));
  expect(await fs.readFile(path.join(folder, 'index.ts'), 'utf8')).toBe(emitRegistry(entries));
}, 600_000);

it.each(await toyInputs())('makes what the playground has of the toy: $name', async (input) => {
  const folderOfToy = fileURLToPath(
    new URL(`../../site/playground/generated/${input.name}`, import.meta.url),
  );
  const { files } = generateModel(input);
  expect((await fs.readdir(folderOfToy)).sort()).toEqual([...files.keys()].sort());
  for (const [file, content] of files)
    expect(await fs.readFile(path.join(folderOfToy, file), 'utf8'), file).toBe(content);
});

/** A parser is imported from the folder of another model only if it is the same there. */
async function expectShared(text: string, content: string, owner: string, sha: string): Promise<void> {
  expect(text).toBe(sharedParser(owner, sha));
  const shared = await fs.readFile(path.join(folder, owner, 'parser.ts'), 'utf8');
  const owned = /templateSha256: '(\w+)'/.exec(shared)?.[1] ?? '';
  expect(withoutFingerprint(shared, owned)).toBe(withoutFingerprint(content, sha));
}
