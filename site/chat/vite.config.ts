/** `vite build site/chat`: the chat page of `idiolect serve --open`, into `dist/chat`. */
import { defineConfig } from 'vite';
import { pageConfig } from '../page-config.ts';

// It talks to the server that it came from, and to nobody else.
export default defineConfig(
  pageConfig(import.meta.dirname, {
    'script-src': "'self'",
    'style-src': "'self'",
    'connect-src': "'self'",
    'img-src': 'data:',
  }),
);
