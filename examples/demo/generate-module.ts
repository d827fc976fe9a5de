/** What `idiolect generate model.gguf` does, with the files in a folder that git ignores. */
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { GeneratedModule } from 'idiolect/parser';
import { generateModel } from '../../src/generate/generate-model.ts';
import { readGgufHeader } from '../../src/hub/gguf/gguf-header.ts';
import { effectiveTemplate } from '../../src/hub/gguf/read-header.ts';

/** A module that was just generated. */
export interface DemoModule {
  readonly module: GeneratedModule;
  readonly folder: string;
  /** Lines by file name. */
  readonly files: ReadonlyMap<string, number>;
  readonly milliseconds: number;
}

const outFolder = fileURLToPath(new URL('../../.cache/demo/', import.meta.url));

/** Generates the module for a model's template and imports it. */
export async function generateDemoModule(modelFile: string): Promise<DemoModule> {
  const started = performance.now();
  const name = path.basename(modelFile, '.gguf').toLowerCase();
  const template = effectiveTemplate((await readGgufHeader(modelFile)).templates);
  if (template === null) throw new Error(`${modelFile} holds no chat template`);
  const generated = generateModel({ name, origin: modelFile, templateSource: template.source });
  const folder = path.join(outFolder, name);
  await fs.mkdir(folder, { recursive: true });
  for (const [file, text] of generated.files) await fs.writeFile(path.join(folder, file), text);
  const milliseconds = performance.now() - started;
  const imported: { readonly responseModule: GeneratedModule } = await import(
    pathToFileURL(path.join(folder, 'index.ts')).href
  );
  const files = new Map([...generated.files].map(([file, text]) => [file, text.split('\n').length]));
  return {
    module: imported.responseModule,
    folder: path.relative(process.cwd(), folder),
    files,
    milliseconds,
  };
}
