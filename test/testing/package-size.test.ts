/** What an install brings along, without an engine and other optional packages, and what a page loads. */
import fs from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
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

it('an install is less than six megabytes', () => {
  const root = path.join(import.meta.dirname, '../..');
  const folders = [...closure(Object.keys(manifestOf(root).dependencies ?? {}), root)];
  const sizes = folders.map((folder) => [path.relative(modules, folder), sizeOf(folder)] as const);
  expect(
    sizes.reduce((sum, [, size]) => sum + size, 0),
    JSON.stringify(sizes),
  ).toBeLessThan(6_000_000);
  expect(sizes.map(([name]) => name)).not.toContain('prettier');
});

/** Bytes of what a page loads, minified. */
interface PageSize {
  /** With gzip and with Brotli, as soon as it runs. */
  readonly gzip: number;
  readonly brotli: number;
  /** With Brotli, when it needs more. */
  readonly later: number;
}

async function pageSize(script: string): Promise<PageSize> {
  const root = path.join(import.meta.dirname, '../..');
  const { outputFiles, metafile } = await build({
    stdin: { contents: script, loader: 'ts', resolveDir: root },
    ...{ absWorkingDir: root, outdir: 'page', write: false, metafile: true },
    ...{ bundle: true, minify: true, splitting: true, format: 'esm', platform: 'browser', target: 'es2023' },
    conditions: ['idiolect:source'],
    external: ['@huggingface/transformers'],
  });
  const { outputs } = metafile;
  const atOnce = Object.keys(outputs).filter((name) => outputs[name]?.entryPoint === '<stdin>');
  for (const name of atOnce)
    for (const { path: other, kind } of outputs[name]?.imports ?? [])
      if (kind === 'import-statement' && !atOnce.includes(other)) atOnce.push(other);
  const sum = (isAtOnce: boolean, compress: (bytes: Uint8Array) => Uint8Array): number =>
    outputFiles
      .filter((file) => atOnce.includes(path.relative(root, file.path)) === isAtOnce)
      .reduce((total, { contents }) => total + compress(contents).length, 0);
  const later = sum(false, brotliCompressSync);
  return { gzip: sum(true, gzipSync), brotli: sum(true, brotliCompressSync), later };
}

it('what a page loads is what the guide says, and the analysis only for templates without a module', async () => {
  const chat =
    "import { responseModule } from './generated/qwen-qwen3-0.6b/index.ts'; const modules = [responseModule];";
  const sizes = {
    createModuleParser: await pageSize(
      `${chat} import { createModuleParser } from './src/parser/index.ts';
       export const open = () => createModuleParser(responseModule);`,
    ),
    connectServer: await pageSize(
      `${chat} import { connectServer } from './src/runtime/servers/index.ts';
       export const open = (url) => connectServer({ kind: 'vllm', url, modules });`,
    ),
    connectEngine: await pageSize(
      `${chat} import { connectEngine } from './src/runtime/engine/index.ts';
       export const open = (engine) => connectEngine(engine, { modules });`,
    ),
    loadModel: await pageSize(
      `${chat} import { loadModel } from './src/transformers/index.ts';
       export const open = () => loadModel('model', { modules });`,
    ),
  };
  console.log('bytes in a page', sizes);
  const page = fs.readFileSync(path.join(import.meta.dirname, '../../docs/browser.md'), 'utf8');
  for (const [name, { gzip, later }] of Object.entries(sizes)) {
    const row = new RegExp(`^\\|.*\\[?\`${name}\`.*\\| (\\d+) kB`, 'm').exec(page);
    expect(Math.abs(gzip / 1000 - Number(row?.[1])), `${name}: ${gzip} bytes`).toBeLessThan(gzip / 20_000);
    if (name === 'createModuleParser') expect(later).toBe(0);
    else expect(later).toBeGreaterThan(20_000);
  }
  expect(sizes.connectEngine.brotli).toBeLessThan(230_000);
});
