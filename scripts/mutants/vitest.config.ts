/** The configuration of the tests, in which source files can be read with a change. */
import path from 'node:path';
import type { ViteUserConfig } from 'vitest/config';
import base from '../../vitest.config.ts';
import { changedSources } from './changes.ts';

/** Tests that note what they evaluate are run by a runner that tries mutants. */
const together =
  (process.env.MUTANT_HITS ?? '') === '' ? {} : { runner: path.join(import.meta.dirname, 'runner.ts') };

const config: ViteUserConfig = {
  ...base,
  plugins: [changedSources()],
  test: { ...base.test, ...together, setupFiles: ['test/support/setup.ts', 'scripts/mutants/hits.ts'] },
};

export default config;
