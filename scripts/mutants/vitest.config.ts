/** The configuration of the tests, in which source files can be read with a change. */
import type { ViteUserConfig } from 'vitest/config';
import base from '../../vitest.config.ts';
import { changedSources } from './changes.ts';

const config: ViteUserConfig = {
  ...base,
  plugins: [changedSources()],
  test: { ...base.test, setupFiles: ['test/support/setup.ts', 'scripts/mutants/hits.ts'] },
};

export default config;
