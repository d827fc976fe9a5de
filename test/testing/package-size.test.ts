/** What an install brings along, without an engine and other optional packages, and what a page loads. */
import fs from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';

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
  readonly gzip: number;
  readonly brotli: number;
}

/** What it loads at first, and all that chats with tools need. */
interface PageSizes {
  readonly first: PageSize;
  readonly withTools: PageSize;
  /** Names of the sources in the files that are loaded at first. */
  readonly sources: readonly string[];
}

async function pageSizes(script: string): Promise<PageSizes> {
  const root = path.join(import.meta.dirname, '../..');
  const { outputFiles, metafile } = await build({
    stdin: { contents: script, loader: 'ts', resolveDir: root },
    ...{ absWorkingDir: root, outdir: 'page', write: false, metafile: true },
    ...{ bundle: true, minify: true, splitting: true, format: 'esm', platform: 'browser', target: 'es2023' },
    conditions: ['idiolect:source'],
    external: ['@huggingface/transformers'],
  });
  const { outputs } = metafile;
  /** The files that begin with these sources, and what they import. */
  const filesOf = (...entries: readonly string[]): readonly string[] => {
    const found = Object.keys(outputs).filter((name) => entries.includes(outputs[name]?.entryPoint ?? ''));
    for (const name of found)
      for (const { path: other, kind } of outputs[name]?.imports ?? [])
        if (kind === 'import-statement' && !found.includes(other)) found.push(other);
    return found;
  };
  const sizeOfFiles = (names: readonly string[]): PageSize => {
    const files = outputFiles.filter((file) => names.includes(path.relative(root, file.path)));
    const sum = (compress: (bytes: Uint8Array) => Uint8Array): number =>
      files.reduce((total, { contents }) => total + compress(contents).length, 0);
    return { gzip: sum(gzipSync), brotli: sum(brotliCompressSync) };
  };
  const first = filesOf('<stdin>');
  const late = [
    'src/runtime/chat/enforcement/enforcement.ts',
    'src/runtime/chat/checks/argument-checks.ts',
    'src/servers/server-tags.ts',
  ];
  const sources = first.flatMap((name) =>
    Object.entries(outputs[name]?.inputs ?? {}).flatMap(([source, { bytesInOutput }]) =>
      bytesInOutput > 0 ? [source] : [],
    ),
  );
  return { first: sizeOfFiles(first), withTools: sizeOfFiles(filesOf('<stdin>', ...late)), sources };
}

const chat =
  "import { responseModule } from './generated/qwen-qwen3-0.6b/index.ts'; const modules = [responseModule];";
const entries = {
  createModuleParser: `${chat} import { createModuleParser } from './src/parser/index.ts';
    export const open = () => createModuleParser(responseModule);`,
  connectServer: `${chat} import { connectServer } from './src/servers/index.ts';
    export const open = (url) => connectServer({ kind: 'vllm', url, modules });`,
  connectEngine: `${chat} import { connectEngine } from './src/runtime/engine/index.ts';
    export const open = (engine) => connectEngine(engine, { modules });`,
  loadModel: `${chat} import { loadModel } from './src/transformers/index.ts';
    export const open = () => loadModel('model', { modules });`,
};

const page = fs.readFileSync(path.join(import.meta.dirname, '../../docs/browser.md'), 'utf8');

/** Compares with what the guide says, in whole kilobytes of gzip. */
function expectTold(name: string, { gzip }: PageSize, told: string | undefined): void {
  expect(Math.abs(gzip / 1000 - Number(told)), `${name}: ${gzip} bytes`).toBeLessThan(gzip / 20_000);
}

it('a page with masks loads what the guide says', async () => {
  const names = 'createMaskVocabulary, createTokenMatcher';
  const script = (imported: string): string =>
    `import { ${imported} } from './src/masks/index.ts'; export const all = () => [${imported}];`;
  const row = /`createTokenMatcher`.*\| (\d+) kB; (\d+) kB without `schemaGrammar` \|/.exec(page);
  expectTold('masks', (await pageSizes(script(`${names}, schemaGrammar`))).first, row?.[1]);
  expectTold('masks of GBNF', (await pageSizes(script(names))).first, row?.[2]);
});

describe('a page with a generated module', () => {
  it.each(Object.entries(entries))('loads for %s what the guide says', async (name, script) => {
    const { first, withTools, sources } = await pageSizes(script);
    console.log(`bytes in a page: ${name}`, first, withTools);
    const row = new RegExp(`^\\|.*\\[?\`${name}\`.*\\| (\\d+) kB[^|]*\\| (\\d+) kB`, 'm').exec(page);
    for (const [at, size] of [first, withTools].entries()) expectTold(name, size, row?.[at + 1]);
    // Neither the analysis of templates nor what compiles grammars and schemas.
    const rooms = [
      'analysis',
      'codegen',
      'json-schema',
      'language/gbnf',
      'language/regular',
      'template/tool-format/wrap',
    ];
    const early = sources.filter(
      (source) => rooms.some((room) => source.startsWith(`src/${room}`)) || /regexpp|ohm-js/.test(source),
    );
    expect(early).toEqual([]);
    expect(first.brotli).toBeLessThan(name === 'createModuleParser' ? 50_000 : 141_000);
    expect(withTools.brotli).toBeLessThan(name === 'createModuleParser' ? 50_000 : 257_000);
  });
});
