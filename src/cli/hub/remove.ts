/** `idiolect remove`: removes models from the cache. */
import type { Command } from 'commander';
import pc from 'picocolors';
import { defaultCacheFolder } from '../../hub/cache.ts';
import { type CachedModel, listCachedModels, removeCachedModels } from '../../hub/cached-models.ts';
import { ModelNotCachedError } from '../../hub/errors.ts';
import { type ModelReference, parseModelReference } from '../../hub/reference.ts';
import { formatBytes } from '../figures.ts';
import { paintedText } from '../terminal-text.ts';

interface RemoveOptions {
  readonly file?: string;
  readonly cache?: string;
  readonly json: boolean;
}

/** Adds the command. */
export function registerRemove(program: Command): void {
  program
    .command('remove')
    .argument('<model>', 'owner/name, owner/name:Q5_K_M, owner/name@revision')
    .option('--file <path>', 'only this file of the repository; default: everything that the name covers')
    .option('--cache <folder>', 'where models are kept; default: where the tools of the Hub keep them')
    .option('--json', 'report for programs', false)
    .action(remove);
}

async function remove(model: string, options: RemoveOptions): Promise<void> {
  const parsed = parseModelReference(model);
  const reference = { ...parsed, file: options.file ?? parsed.file };
  const cache = options.cache ?? defaultCacheFolder();
  const contents = await listCachedModels(cache);
  const here = contents.models.filter((cached) => cached.model === reference.model);
  const chosen = here.filter((cached) => isMeant(cached, reference));
  const onlyPartial = here.length === 0 && contents.partials.some((part) => part.model === reference.model);
  if (chosen.length === 0 && !onlyPartial) {
    const wanted = reference.file ?? reference.quantization ?? reference.revision;
    const available = here.map(({ quantization, name }) => quantization ?? name);
    throw new ModelNotCachedError({ model: reference.model, wanted, available });
  }
  const { files, freed } = await removeCachedModels(cache, reference.model, chosen);
  const report = { type: 'removed_models', model: reference.model, files, freed };
  const lines = files.map((file) => `  ${file}\n`).join('');
  const sentence = `${pc.green('✓')} removed ${pc.bold(reference.model)}, ${formatBytes(freed)} freed\n${lines}`;
  process.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : paintedText(sentence));
}

function isMeant(cached: CachedModel, { quantization, revision, file }: ModelReference): boolean {
  return (
    (quantization === null || cached.quantization === quantization.toUpperCase()) &&
    (revision === null || cached.commit === revision || cached.revisions.includes(revision)) &&
    (file === null || cached.name === file || cached.files.some((path) => path.endsWith(`/${file}`)))
  );
}
