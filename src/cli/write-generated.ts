/** Writes generated modules to disk: each folder whole or not at all, and the index beside them. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { emitRegistry, type RegistryEntry } from '../codegen/emit-registry.ts';
import type { GeneratedModel } from '../codegen/generate-model.ts';

/**
 * Replaces `out/<name>/` for each model and rewrites `out/index.ts`, which lists every module that lies
 * in `out` afterwards.
 */
export async function writeGenerated(out: string, models: readonly GeneratedModel[]): Promise<void> {
  await fs.mkdir(out, { recursive: true });
  for (const model of models) await replaceFolder(path.join(out, model.name), model.files);
  await fs.writeFile(path.join(out, 'index.ts'), emitRegistry(await readEntries(out)));
}

/** Written aside and renamed, so that a crash never leaves a folder half written. */
async function replaceFolder(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  const building = `${folder}.new-${process.pid}`;
  await fs.rm(building, { recursive: true, force: true });
  await fs.mkdir(building);
  for (const [name, content] of files) await fs.writeFile(path.join(building, name), content);
  await fs.rm(folder, { recursive: true, force: true });
  await fs.rename(building, folder);
}

async function readEntries(out: string): Promise<RegistryEntry[]> {
  const entries: RegistryEntry[] = [];
  for (const item of await fs.readdir(out, { withFileTypes: true })) {
    if (!item.isDirectory() || item.name.includes('.new-')) continue;
    const format = await readFormat(path.join(out, item.name, 'format.json'));
    if (typeof format?.templateSha256 === 'string') {
      entries.push({ name: item.name, templateSha256: format.templateSha256 });
    }
  }
  return entries;
}

async function readFormat(file: string): Promise<{ readonly templateSha256?: unknown } | null> {
  try {
    return JSON.parse(await fs.readFile(file, 'utf8'));
  } catch {
    return null; // not one of ours
  }
}
