/** `idiolect list`: the models in the cache. */
import type { Command } from 'commander';
import pc from 'picocolors';
import { defaultCacheFolder } from '../../hub/cache.ts';
import { type CacheContents, type CachedModel, listCachedModels } from '../../hub/cached-models.ts';
import { formatBytes } from '../figures.ts';
import { paintedText } from '../terminal-text.ts';

interface ListOptions {
  readonly cache?: string;
  readonly json: boolean;
}

/** Adds the command. */
export function registerList(program: Command): void {
  program
    .command('list')
    .option('--cache <folder>', 'where models are kept; default: where the tools of the Hub keep them')
    .option('--json', 'report for programs', false)
    .action(list);
}

async function list(options: ListOptions): Promise<void> {
  const cache = options.cache ?? defaultCacheFolder();
  const contents = await listCachedModels(cache);
  if (options.json) {
    process.stdout.write(`${JSON.stringify({ type: 'cached_models', cache, ...contents }, null, 2)}\n`);
  } else {
    process.stdout.write(paintedText(table(cache, contents)));
  }
}

function table(cache: string, { models, partials, quarantined }: CacheContents): string {
  if (models.length + partials.length + quarantined.length === 0) {
    return `no models in ${cache}; fetch one with ${pc.bold('idiolect pull <owner/name>')}\n`;
  }
  const rows = models.map(row);
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const lines = rows.map(([model = '', ...cells]) => {
    const padded = cells.map((cell, index) => cell.padEnd(widths[index + 1] ?? 0)).join('  ');
    return `${pc.bold(model.padEnd(widths[0] ?? 0))}  ${padded}`.trimEnd();
  });
  const broken = partials.map(
    ({ model, size }) => `${pc.yellow('broke off')} ${model}, ${formatBytes(size)} here; pull again to go on`,
  );
  const corrupt = quarantined.map(
    ({ file, size }) =>
      `${pc.red('corrupt')} ${file}, ${formatBytes(size)}; why stands next to it, delete it`,
  );
  const sum = formatBytes(models.reduce((total, { size }) => total + size, 0));
  return `${[...lines, ...broken, ...corrupt, pc.dim(`${sum} in ${cache}`)].join('\n')}\n`;
}

function row(model: CachedModel): readonly string[] {
  const { name, quantization, files, size, modified, revisions, commit } = model;
  const shards = files.length > 1 ? ` (${files.length} shards)` : '';
  return [
    model.model,
    `${quantization ?? name}${shards}`,
    formatBytes(size),
    revisions.join(', ') || commit.slice(0, 12),
    modified.toISOString().slice(0, 10),
  ];
}
