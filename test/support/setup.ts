/** Property tests draw their cases from the seed of the run, which vitest.config.ts prints. */
import fc from 'fast-check';

// A property that runs away fails by name instead of holding up the whole run; no property comes near it.
const runaway =
  process.env.LAWS === 'long' ? {} : { interruptAfterTimeLimit: 600_000, markInterruptAsFailure: true };

fc.configureGlobal({ seed: Number(process.env.SEED), ...runaway });
