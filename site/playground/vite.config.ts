/** `vite build site/playground`: the playground page, into `dist/playground`. */
import { defineConfig, mergeConfig } from 'vite';
import { pageConfig } from '../page-config.ts';

/** Errors are told by the names of their classes. */
const rolldownOptions = { output: { keepNames: true } };

// Nothing may be fetched but the page's own scripts, and nothing sent.
const page = pageConfig(import.meta.dirname, {
  'script-src': "'self'",
  'style-src': "'self' 'unsafe-inline'",
  'worker-src': "'self'",
  'img-src': "'self' data:",
  'connect-src': "'none'",
});

export default defineConfig(
  mergeConfig(page, {
    // The weights are a file of their own.
    worker: { format: 'es', rolldownOptions },
    build: { rolldownOptions },
  }),
);
