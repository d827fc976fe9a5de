/** `vite build site/chat`: the chat page of `idiolect serve --open`, into `dist/chat`. */
import path from 'node:path';
import { defineConfig } from 'vite';

export default defineConfig({
  root: import.meta.dirname,
  base: './',
  resolve: { conditions: ['idiolect:source', 'module', 'browser'] },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  logLevel: 'warn',
  build: {
    outDir: path.join(import.meta.dirname, '../../dist/chat'),
    emptyOutDir: true,
    target: 'es2023',
    modulePreload: { polyfill: false },
  },
});
