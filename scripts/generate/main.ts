/**
 * Rewrites everything under `generated/` that is checked in, from the corpora of real templates, the parsers of
 * notations that no template has, and the modules of the toy's templates, which the playground is built with.
 */
import fs from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { writeGenerated } from '../../src/cli/generate/write-generated.ts';
import { type GeneratedModel, generateModel } from '../../src/generate/generate-model.ts';
import { generatedInputs, toyInputs } from '../../test/support/generated-corpus.ts';
import { emitNotations } from './emit-notations.ts';
import { shareParsers } from './share-parsers.ts';

const out = fileURLToPath(new URL('../../generated', import.meta.url));
const inputs = await generatedInputs();
const models: GeneratedModel[] = [];
for (const [index, input] of inputs.entries()) {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${index}/${inputs.length} ${input.name}`);
  models.push(generateModel(input));
}
await removeOthers(models.map(({ name }) => name));
await writeGenerated(out, shareParsers(models));
process.stdout.write(`${process.stdout.isTTY ? '\r\x1b[K' : ''}generated/: ${models.length} modules\n`);

const notations = fileURLToPath(new URL('../../src/parser/notations/notation-parsers.ts', import.meta.url));
await fs.writeFile(notations, emitNotations());

const playground = fileURLToPath(new URL('../../site/playground/generated', import.meta.url));
await writeGenerated(playground, (await toyInputs()).map(generateModel));

/** What is no longer generated must not stay after. */
async function removeOthers(names: readonly string[]): Promise<void> {
  for (const entry of await fs.readdir(out, { withFileTypes: true })) {
    if (entry.isDirectory() && !names.includes(entry.name)) {
      await fs.rm(`${out}/${entry.name}`, { recursive: true });
    }
  }
}
