/** An engine and its model run where there is nothing of Node: with the globals of a page alone. */
import path from 'node:path';
import vm from 'node:vm';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..', '..');

it('a page makes an enforced call', async () => {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['test/support/page-script.ts'],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: 'es2023',
    conditions: ['idiolect:source'],
  });
  const page = {
    TextEncoder,
    TextDecoder,
    AbortController,
    AbortSignal,
    queueMicrotask,
    structuredClone,
    performance,
    setTimeout,
  };
  const context = vm.createContext({ ...page });
  vm.runInContext(outputFiles[0]?.text ?? '', context);
  const { city, days } = JSON.parse(await context.answered);
  expect(city).toBe('Bern');
  // The script says 9.
  expect([1, 2, 3, 4, 5, 6, 7]).toContain(days);
});
