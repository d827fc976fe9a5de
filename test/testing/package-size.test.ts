/** What an install brings along, without an engine and other optional packages. */
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';

const modules = path.join(import.meta.dirname, '../../node_modules');

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(fs.readFileSync(path.join(folder, 'package.json'), 'utf8'));
}

/** The folders of all packages that are installed for these, by npm's rules. */
function closure(names: readonly string[], from: string, found = new Set<string>()): ReadonlySet<string> {
  for (const name of names) {
    const nested = path.join(from, 'node_modules', name);
    const folder = fs.existsSync(nested) ? nested : path.join(modules, name);
    if (found.has(folder)) continue;
    found.add(folder);
    closure(Object.keys(manifestOf(folder).dependencies ?? {}), folder, found);
  }
  return found;
}

function sizeOf(folder: string): number {
  const entries = fs.readdirSync(folder, { withFileTypes: true, recursive: true });
  const files = entries.filter(
    (entry) => entry.isFile() && !entry.parentPath.slice(folder.length).includes('node_modules'),
  );
  return files.reduce((sum, { parentPath, name }) => sum + fs.statSync(path.join(parentPath, name)).size, 0);
}

it('is less than six megabytes', () => {
  const root = path.join(import.meta.dirname, '../..');
  const folders = [...closure(Object.keys(manifestOf(root).dependencies ?? {}), root)];
  const sizes = folders.map((folder) => [path.relative(modules, folder), sizeOf(folder)] as const);
  expect(
    sizes.reduce((sum, [, size]) => sum + size, 0),
    JSON.stringify(sizes),
  ).toBeLessThan(6_000_000);
  expect(sizes.map(([name]) => name)).not.toContain('prettier');
});
