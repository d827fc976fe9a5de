import { defineConfig } from 'vitest/config';

export default defineConfig({
  resolve: { conditions: ['idiolect:source'] },
  ssr: { resolve: { conditions: ['idiolect:source', 'node', 'import', 'module', 'default'] } },
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/setup.ts'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
