/** The package `@huggingface/transformers`, where `IDIOLECT_TRANSFORMERS` names the folder in which it is installed. */
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { TransformersModule } from '../../../src/transformers/index.ts';
import type { PretrainedTokenizer } from '../../../src/transformers/package.ts';

/** Its folder; `undefined` where none is named. With its engine it is too large for a dependency of tests. */
export const installedFolder = process.env.IDIOLECT_TRANSFORMERS;

/** What tests use of it. */
export interface InstalledModule extends TransformersModule {
  readonly AutoTokenizer: { from_pretrained(name: string): Promise<PretrainedTokenizer> };
}

/** The module that its `package.json` names for Node. */
export async function importInstalled(): Promise<InstalledModule> {
  const root = installedFolder ?? '';
  const { exports } = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  return import(pathToFileURL(path.join(root, exports.node.import.default)).href);
}

/** Writes a model's files, by their names, into a folder of that name; its path. */
export function writeModel(name: string, files: object): string {
  const place = path.join(os.tmpdir(), 'idiolect-transformers', name);
  fs.mkdirSync(path.join(place, 'onnx'), { recursive: true });
  for (const [file, content] of Object.entries(files)) {
    const isBytes = content instanceof Uint8Array;
    fs.writeFileSync(path.join(place, file), isBytes ? content : JSON.stringify(content));
  }
  return place;
}
