/** `vite build site/playground`: the playground page, into `dist/playground`. */
import path from 'node:path';
import { defineConfig } from 'vite';

/** Errors are told by the names of their classes. */
const rolldownOptions = { output: { keepNames: true } };

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  resolve: { conditions: ['idiolect:source', 'module', 'browser'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  // The weights are a file of their own.
  worker: { format: 'es', rolldownOptions },
  logLevel: 'warn',
  build: {
    outDir: path.join(import.meta.dirname, '../../dist/playground'),
    emptyOutDir: true,
    target: 'es2023',
    rolldownOptions,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 3000,
  },
});
