/** Property tests draw the same cases in every run, so that a failure is the change's own; the long run draws new ones. */
import fc from 'fast-check';

if (process.env.LAWS !== 'long') fc.configureGlobal({ seed: 20_261_121 });
