/** Writes the index of a folder of generated modules: from a template's fingerprint to its module. */
import { generatedBanner } from '../codegen/banner.ts';
import { lineWidth } from '../codegen/source-writer.ts';
import type { ImportExtension } from './emit-module.ts';

/** An entry of the registry. */
export interface RegistryEntry {
  /** Folder of the module: `qwen3-0.6b`. */
  readonly name: string;
  /** SHA-256 (hex) of its chat template. */
  readonly templateSha256: string;
}

/**
 * Source of `index.ts`, which exports `modules`: lazy imports by fingerprint, so that a program finds the module of a
 * loaded model by hashing its template.
 */
export function emitRegistry(entries: readonly RegistryEntry[], extension: ImportExtension = 'js'): string {
  const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
  const lines = sorted.map((entry) => emitEntry(entry, extension));
  return `${generatedBanner}
import type { GeneratedModule } from 'idiolect/parser';

/** Loads a generated module. */
export type LoadResponseModule = () => Promise<{ readonly responseModule: GeneratedModule }>;

/** Generated modules by the SHA-256 of the chat template they were made from. */
export const modules: ReadonlyMap<string, LoadResponseModule> = new Map<string, LoadResponseModule>([
${lines.join('\n')}
]);
`;
}

function emitEntry({ name, templateSha256 }: RegistryEntry, extension: ImportExtension): string {
  const load = `() => import('./${name}/index.${extension}')`;
  const line = `  ['${templateSha256}', ${load}],`;
  return line.length <= lineWidth ? line : `  [\n    '${templateSha256}',\n    ${load},\n  ],`;
}
