import { randomInt } from 'node:crypto';
import { defineConfig } from 'vitest/config';

// Property tests draw new cases in every run; to repeat a run, give its seed: SEED=123 npm test.
process.env.SEED ??= String(randomInt(2 ** 31));
console.log(`property tests: SEED=${process.env.SEED}`);

/** Tests without stubs, environments and engines: a worker loads the sources once for all of their files. */
const pure = [
  'analysis',
  'cases',
  'codegen',
  'grammar',
  'parser',
  'response-template',
  'template',
  'testing',
  'tools',
].map((room) => `test/${room}/**/*.test.ts`);

/** Tests of a GPU backend need a driver and minutes of shader compilation: `npm run test:gpu`. */
const gpu = process.env.GPU === undefined ? ['test/gpu/**'] : [];
/** Those of the inspector need Chromium and a build: `npm run test:browser`. */
const browser = process.env.BROWSER_TESTS === undefined ? ['test/browser/**'] : [];

export default defineConfig({
  resolve: { conditions: ['idiolect:source'] },
  ssr: { resolve: { conditions: ['idiolect:source', 'node', 'import', 'module', 'default'] } },
  test: {
    setupFiles: ['test/support/setup.ts'],
    testTimeout: 120_000,
    hookTimeout: 240_000,
    projects: [
      { extends: true, test: { name: 'pure', include: pure, isolate: false } },
      {
        extends: true,
        test: { name: 'isolated', include: ['test/**/*.test.ts'], exclude: [...pure, ...gpu, ...browser] },
      },
    ],
  },
});
