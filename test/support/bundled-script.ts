/** Scripts for processes of their own, bundled: to load hundreds of sources there costs more than most of them do. */
import fs from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { scriptFolder } from './run-folders.ts';

const root = path.join(import.meta.dirname, '../..');
const made = new Map<string, string>();

/**
 * The script at `file`, a path from the root of the repository, as one that Node runs as it is. `others` are bundled next
 * to it.
 */
export function bundledScript(file: string, others: readonly string[] = []): string {
  const known = made.get(file);
  if (known !== undefined) return known;
  fs.mkdirSync(scriptFolder, { recursive: true });
  const folder = fs.mkdtempSync(path.join(scriptFolder, 'script-'));
  buildSync({
    absWorkingDir: root,
    entryPoints: [file, ...others],
    entryNames: '[name]',
    outdir: folder,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    conditions: ['idiolect:source'],
    target: 'es2023',
  });
  const script = path.join(folder, path.basename(file).replace(/\.ts$/, '.js'));
  made.set(file, script);
  return script;
}
