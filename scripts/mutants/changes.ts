/** Source files that tests read with a change, while those on disk stay as they are. */
import type { Plugin } from 'vite';

declare global {
  /** The changed text by absolute path: shared by the runner and the configuration, which is bundled on its own. */
  var mutantTexts: Map<string, string> | undefined;
}

/** The changed texts of this process, to be written by the runner. */
export function changedTexts(): Map<string, string> {
  globalThis.mutantTexts ??= new Map();
  return globalThis.mutantTexts;
}

/** Gives the changed text in place of that of the file. */
export function changedSources(): Plugin {
  return {
    name: 'changed-sources',
    enforce: 'pre',
    load: (id) => changedTexts().get(id.split('?', 1)[0] ?? id) ?? null,
  };
}
