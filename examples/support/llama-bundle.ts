/**
 * Files of the llama.cpp release that node-llama-cpp ships as a git bundle:
 * chat templates (`models/templates/*.jinja`) and tokenizers without weights
 * (`models/ggml-vocab-*.gguf`).
 *
 * The bundle is a git pack after a short text header. It is unpacked once, with
 * a git implementation in JavaScript (a fresh machine may have no git), into
 * `node_modules/.cache/idiolect/`; later reads touch only small object files.
 */
import fs from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import git from 'isomorphic-git';

const require = createRequire(import.meta.url);
const packageRoot = path.join(path.dirname(require.resolve('node-llama-cpp')), '..');
const bundlePath = path.join(packageRoot, 'llama', 'gitRelease.bundle');
/** Where files made from the bundle are kept: `node_modules/.cache/idiolect`. */
export const cacheFolder = path.join(packageRoot, '..', '.cache', 'idiolect');

let repository: Promise<{ dir: string; oid: string }> | undefined;
const gitCache = {};

/** Splits a bundle into the commit it names and its pack. */
function splitBundle(bundle: Buffer): { oid: string; pack: Buffer } {
  const headerEnd = bundle.indexOf('\n\n');
  const oid = /\n([0-9a-f]{40}) /.exec(bundle.subarray(0, headerEnd).toString('utf8'))?.[1];
  if (oid === undefined) throw new Error(`no commit named in the header of ${bundlePath}`);
  return { oid, pack: bundle.subarray(headerEnd + 2) };
}

async function openRepository(): Promise<{ dir: string; oid: string }> {
  const { oid, pack } = splitBundle(fs.readFileSync(bundlePath));
  const dir = path.join(cacheFolder, `llama.cpp-${oid.slice(0, 12)}`);
  if (fs.existsSync(dir)) return { dir, oid };

  // Built aside and renamed, so that an interrupted or parallel run leaves no half repository.
  const building = `${dir}.${process.pid}`;
  const packFile = path.join('.git', 'objects', 'pack', 'pack-bundle.pack');
  await git.init({ fs, dir: building });
  fs.mkdirSync(path.dirname(path.join(building, packFile)), { recursive: true });
  fs.writeFileSync(path.join(building, packFile), pack);
  await git.indexPack({ fs, dir: building, filepath: packFile });
  try {
    fs.renameSync(building, dir);
  } catch (error) {
    fs.rmSync(building, { recursive: true, force: true });
    if (!fs.existsSync(dir)) throw error;
  }
  return { dir, oid };
}

/** Path of a copy of one file of the bundled llama.cpp release; made at the first call. */
export async function bundledFile(filepath: string): Promise<string> {
  repository ??= openRepository();
  const { dir, oid } = await repository;
  const cached = path.join(dir, 'files', filepath.replaceAll('/', '__'));
  if (fs.existsSync(cached)) return cached;

  const { blob } = await git.readBlob({ fs, dir, oid, filepath, cache: gitCache });
  fs.mkdirSync(path.dirname(cached), { recursive: true });
  const building = `${cached}.${process.pid}`;
  fs.writeFileSync(building, blob);
  fs.renameSync(building, cached);
  return cached;
}

/** Bytes of one file of the bundled llama.cpp release; cached on disk after the first read. */
export async function readBundledFile(filepath: string): Promise<Buffer> {
  return fs.readFileSync(await bundledFile(filepath));
}

/** Names of the files directly inside a folder of the bundled release. */
export async function listBundledFolder(folder: string): Promise<string[]> {
  repository ??= openRepository();
  const { dir, oid } = await repository;
  const { tree } = await git.readTree({ fs, dir, oid, filepath: folder, cache: gitCache });
  return tree.filter((entry) => entry.type === 'blob').map((entry) => entry.path);
}
