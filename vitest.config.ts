import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { defineConfig } from 'vitest/config';
import { useTemporaryFolder } from './test/support/run-folders.ts';

// Property tests draw new cases in every run; to repeat a run, give its seed: SEED=123 npm test.
process.env.SEED ??= String(randomInt(2 ** 31));
// Samples that no number draws would be empty, and their laws hold for nothing.
if (!/^\d+$/.test(process.env.SEED)) throw new Error(`SEED is a decimal number, not ${process.env.SEED}`);
console.log(`property tests: SEED=${process.env.SEED}`);

// Before vitest itself makes any.
useTemporaryFolder();

/**
 * Files that replace modules, timers or globals, or measure the process, have one of their own. All others share that of a
 * worker, which loads the sources and the engine once: to load them costs more than most files do.
 */
const alone = readdirSync(path.join(import.meta.dirname, 'test'), { recursive: true, encoding: 'utf8' })
  .map((file) => `test/${file}`)
  .filter((file) => file.endsWith('.test.ts'))
  .filter((file) =>
    /\bvi\.(?:mock|doMock|useFakeTimers|stubGlobal)\b|from 'node:v8'/.test(
      readFileSync(path.join(import.meta.dirname, file), 'utf8'),
    ),
  );

/** Tests of a GPU backend need a driver and minutes of shader compilation: `npm run test:gpu`. */
const gpu = process.env.GPU === undefined ? ['test/gpu/**'] : [];
/** Those of the inspector need Chromium and a build: `npm run test:browser`. */
const browser = process.env.BROWSER_TESTS === undefined ? ['test/browser/**'] : [];

export default defineConfig({
  resolve: { conditions: ['idiolect:source'] },
  ssr: { resolve: { conditions: ['idiolect:source', 'node', 'import', 'module', 'default'] } },
  test: {
    setupFiles: ['test/support/setup.ts'],
    globalSetup: ['test/support/run-folders.ts'],
    testTimeout: 120_000,
    hookTimeout: 240_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...alone, ...gpu, ...browser],
          isolate: false,
        },
      },
      { extends: true, test: { name: 'alone', include: alone, exclude: [...gpu, ...browser] } },
    ],
  },
});
