/**
 * The package as people get it, after `npm run build`: packed, installed from its tarball without running any script,
 * imported by each of its names, and run. Also: it holds only what it should, and the links of its pages lead to files
 * that are in it.
 */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const root = path.join(import.meta.dirname, '..');
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'idiolect-package-'));
process.once('exit', () => fs.rmSync(folder, { recursive: true, force: true }));

interface Packed {
  readonly filename: string;
  readonly files: readonly { readonly path: string }[];
}

function run(command: string, args: readonly string[], cwd: string): string {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

function check(holds: boolean, what: string): void {
  if (holds) return;
  console.error(`package: ${what}`);
  process.exit(1);
}

const [packed] = JSON.parse(
  run('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], root),
) as readonly Packed[];
check(packed !== undefined, 'npm pack packed nothing');
const { filename, files } = packed ?? { filename: '', files: [] };
const names = new Set(files.map((file) => file.path));

const unneeded = [...names].filter((name) =>
  /\.map$|\.tsbuildinfo$|(^|\/)(test|bench|node_modules)\//.test(name),
);
check(unneeded.length === 0, `files that nobody needs: ${unneeded.slice(0, 5).join(', ')}`);
// What was tried is as long as half of the other pages: it stays in the repository.
const records = 'docs/experiments.md';
for (const page of [...names].filter((name) => /^(?:docs\/)?[^/]+\.md$/.test(name))) {
  const text = fs.readFileSync(path.join(root, page), 'utf8').replace(/^```.*?^```/gms, '');
  for (const [, target = ''] of text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)) {
    const name = path.posix.join(path.posix.dirname(page), target);
    check(names.has(name) || name === records, `${page} links to ${name}, which is not in the package`);
  }
}

fs.writeFileSync(path.join(folder, 'package.json'), '{"private": true, "type": "module"}');
const quiet = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--omit=peer'];
run('npm', ['install', ...quiet, path.join(folder, filename)], folder);
const { exports, version } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')) as {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly version: string;
};
// The two that need a peer are imported where that is installed.
const needsPeer = ['./node-llama-cpp', './ai-sdk'];
const entries = Object.keys(exports).filter(
  (entry) => !entry.includes('*') && !entry.endsWith('.json') && !needsPeer.includes(entry),
);
const imports = entries.map((entry) => `await import('idiolect${entry.slice(1)}');`);
fs.writeFileSync(path.join(folder, 'all.js'), imports.join('\n'));
run(process.execPath, ['all.js'], folder);
const said = run(process.execPath, ['node_modules/idiolect/dist/src/cli/main.js', '--version'], folder);
check(said.trim() === version, `the command says it is version ${said.trim()}`);
// In a page: the types of the DOM, neither those of Node nor `skipLibCheck`.
const needsNode = ['./serve', './hub'];
const inPages = entries.filter((entry) => !needsNode.includes(entry));
const typed = inPages.map((entry, index) => `export * as a${index} from 'idiolect${entry.slice(1)}';`);
fs.writeFileSync(path.join(folder, 'page.ts'), typed.join('\n'));
const forPages = { module: 'esnext', moduleResolution: 'bundler', target: 'es2023', lib: ['es2023', 'dom'] };
const compilerOptions = { ...forPages, strict: true, noEmit: true, types: [] };
fs.writeFileSync(path.join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['page.ts'] }));
run(process.execPath, [path.join(root, 'node_modules/typescript/bin/tsc'), '-p', folder], folder);
fs.rmSync(path.join(folder, 'tsconfig.json'));
console.log(`package: ${inPages.length} entries have types in a page`);
console.log(`package: ${names.size} files; ${entries.length} entries imported; the command runs`);

if (process.argv.includes('--pages')) {
  const { runPages } = await import('./run-pages.ts');
  const after = process.argv.slice(process.argv.indexOf('--pages') + 1);
  const failures = await runPages(folder, after);
  check(failures.length === 0, `programs of pages fail:\n${failures.join('\n')}`);
  console.log('package: the programs of the pages run');
  const { runContainer } = await import('./run-container.ts');
  const failure = await runContainer(folder);
  check(failure === null, `the commands of the container: ${failure}`);
  console.log('package: the commands of the container run');
}
process.exit();
