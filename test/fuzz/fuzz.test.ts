/** Some inputs for each target of `npm run fuzz`, and every input that once failed (`cases/<target>/`). */
import fs from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { inputsNear } from './fuzz-target.ts';
import { fuzzTargets } from './targets.ts';

const runs = process.env.LAWS === 'long' ? 5000 : 25;

describe.each(Object.entries(fuzzTargets))('%s', (name, target) => {
  it('deals with whatever comes', async () => {
    await fc.assert(
      fc.asyncProperty(inputsNear(target, target.seeds), async (input) => target.attempt(input)),
      { numRuns: runs },
    );
  });

  const folder = path.join(import.meta.dirname, 'cases', name);
  const kept = fs.existsSync(folder) ? fs.readdirSync(folder) : [];
  it.each(kept)('deals with %s', async (file) => {
    await expect(
      (async () => target.attempt(fs.readFileSync(path.join(folder, file), 'utf8')))(),
    ).resolves.toBe(undefined);
  });
});
