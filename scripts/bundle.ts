/**
 * Bundles `src` into `dist`, where tsc has written the declarations and `generated/`: a few files, which share
 * their code, in place of one for every source file. Loading them costs a tenth, and Ohm, which is most of the
 * rest, comes along, so that it is not read from a hundred files of its own. So do the parts that are used
 * of the Hub's packages and of the server's, which are 16 MB as a whole.
 */
import fs from 'node:fs/promises';
import { builtinModules } from 'node:module';
import path from 'node:path';
import { build } from 'esbuild';

const root = path.join(import.meta.dirname, '..');
const dist = path.join(root, 'dist/src');

interface Package {
  readonly dependencies: object;
  readonly peerDependencies: object;
  readonly exports: Readonly<Record<string, string | { readonly 'idiolect:source': string }>>;
}

const { dependencies, peerDependencies, exports } = JSON.parse(
  await fs.readFile(path.join(root, 'package.json'), 'utf8'),
) as Package;

/** The sources of what `exports` names, without `generated/`, which tsc compiles. */
const exported = Object.values(exports)
  .map((target) => (typeof target === 'string' ? target : target['idiolect:source']))
  .filter((target) => target.startsWith('./src/'));

for (const file of await fs.readdir(dist, { recursive: true })) {
  if (/\.js(\.map)?$/.test(file)) await fs.rm(path.join(dist, file));
}

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: [...exported, './src/cli/main.ts', './src/runtime/node-llama-cpp/ahead/schema-worker.ts'],
  outbase: 'src',
  outdir: dist,
  chunkNames: 'shared/[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  target: 'es2023',
  conditions: ['idiolect:source'],
  // Packages that are bundled may name Node's modules without `node:`.
  external: ['node:*', ...builtinModules, ...Object.keys(dependencies), ...Object.keys(peerDependencies)],
  legalComments: 'none',
  metafile: true,
});

// What was read and not used is in no output.
const used = Object.values(metafile.outputs).flatMap(({ inputs }) =>
  Object.entries(inputs).flatMap(([input, { bytesInOutput }]) => (bytesInOutput > 0 ? [input] : [])),
);
const bundled = new Set(
  used.flatMap((input) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? []),
);
const licences = await Promise.all([...bundled].sort().map(licenceOf));
await fs.writeFile(path.join(root, 'dist/THIRD-PARTY-LICENSES.txt'), licences.join('\n\n'));

/** The licence of a package, or what it declares if it has no file. Throws for a package that has neither. */
async function licenceOf(name: string): Promise<string> {
  const folder = path.join(root, 'node_modules', name);
  const file = (await fs.readdir(folder)).find((each) => /^licen[cs]e/i.test(each));
  const text =
    file === undefined ? await declared(folder) : await fs.readFile(path.join(folder, file), 'utf8');
  return `${name}\n${'='.repeat(name.length)}\n\n${text}`;
}

async function declared(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(
    await fs.readFile(path.join(folder, 'package.json'), 'utf8'),
  ) as Readonly<Record<string, unknown>>;
  if (license !== 'MIT') throw new Error(`${name} has no licence file: it cannot be bundled`);
  return `${name} ${version} declares the licence MIT in its package.json and has no file of it.\n`;
}
