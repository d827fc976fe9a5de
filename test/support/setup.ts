/** Property tests draw their cases from the seed of the run, which vitest.config.ts prints. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.SEED) });
