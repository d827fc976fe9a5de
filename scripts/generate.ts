/** Rewrites everything under `generated/` that is checked in, from the corpora of real templates. */
import { fileURLToPath } from 'node:url';
import { writeGenerated } from '../src/cli/write-generated.ts';
import { generatedCorpus } from '../test/support/generated-corpus.ts';

const out = fileURLToPath(new URL('../generated', import.meta.url));
const models = await generatedCorpus((done, all, name) => {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K${done}/${all} ${name}`);
});
await writeGenerated(out, models);
process.stdout.write(`${process.stdout.isTTY ? '\r\x1b[K' : ''}generated/: ${models.length} modules\n`);
