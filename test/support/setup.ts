/** Property tests draw their cases from the seed of the run, which vitest.config.ts prints; files leave nothing to others. */
import fc from 'fast-check';
import { afterAll, vi } from 'vitest';

// A property that runs away fails by name instead of holding up the whole run; no property comes near it.
const runaway =
  process.env.LAWS === 'long' ? {} : { interruptAfterTimeLimit: 600_000, markInterruptAsFailure: true };

fc.configureGlobal({ seed: Number(process.env.SEED), ...runaway });

// The next file of the process finds everything as it was.
afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});
