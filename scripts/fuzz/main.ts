/**
 * `npm run fuzz -- <target> --minutes 10 [--seed n]`: draws inputs for one target of `test/fuzz/targets.ts`, until the
 * time is over or one fails. That one is made as small as can be and kept as a case, which the tests try from then on.
 *
 * Inputs that reach code which none before them reached are kept in `.cache/fuzz/<target>`, and half of all others begin
 * in one of those, also in later runs: a seed alone does not repeat a run, but what fails is kept. The input that is
 * being tried stands in `.cache/fuzz/<target>.txt`, so one that hangs or ends the process is known.
 */
import { randomInt } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import type { FuzzTarget } from '../../test/fuzz/fuzz-target.ts';
import { KeptInputs, writeInput } from './kept-inputs.ts';
import { Reached, readCounts, startCounting } from './reached.ts';

// Before the sources are loaded.
await startCounting();
const { fuzzTargets } = await import('../../test/fuzz/targets.ts');
const { inputsNear } = await import('../../test/fuzz/fuzz-target.ts');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '1' }, seed: { type: 'string' } },
});
const [name = ''] = positionals;
const target = fuzzTargets[name];
const minutes = Number(values.minutes);
if (target === undefined || !(minutes > 0)) {
  console.error(`npm run fuzz -- <target> --minutes n; targets: ${Object.keys(fuzzTargets).join(', ')}`);
  process.exit(2);
}

const { seeds, attempt } = target;
const root = path.join(import.meta.dirname, '../..');
const cache = path.join(root, '.cache/fuzz');
const current = path.join(cache, `${name}.txt`);
/** UTF-16 units of a kept input, where all real ones are short. */
const leastLength = 2000;
const longest = Math.max(leastLength, ...seeds.map((seed) => 2 * seed.length));
const kept = new KeptInputs(path.join(cache, name), longest);
const reached = new Reached();
/** Between two readings of what they reached. */
const inputsPerRound = 100;

process.exitCode = await fuzz(target, Number(values.seed ?? randomInt(2 ** 31)));

async function fuzz(target: FuzzTarget, seed: number): Promise<number> {
  if (fs.existsSync(current))
    console.error(`the last run ended in the midst of ${path.relative(root, current)}`);
  console.error(`${name}: --seed ${seed}, ${kept.inputs.length} inputs kept by earlier runs`);
  for (const input of [...seeds, ...kept.inputs]) {
    const fault = await faultOf(input);
    if (fault !== null) return keepCase(input, { errorInstance: fault.error, seed });
  }
  reached.add(await readCounts());
  const end = performance.now() + minutes * 60_000;
  let tried = 0;
  for (let round = 0; performance.now() < end; round += 1) {
    const inputs: string[] = [];
    const from = kept.inputs.length > 0 && round % 2 === 1 ? kept.inputs : seeds;
    const result = await fc.check(
      fc.asyncProperty(inputsNear(target, from), async (input) => {
        inputs.push(input);
        await tryInput(input);
      }),
      { seed: seed + round, numRuns: inputsPerRound, interruptAfterTimeLimit: end - performance.now() },
    );
    tried += result.numRuns;
    if (result.failed && result.counterexample !== null) return keepCase(result.counterexample[0], result);
    await keepWhatReachedMore(inputs);
  }
  const news = `reached ${reached.functions} functions of the sources, ${kept.inputs.length} inputs kept`;
  console.log(`${name}: ${tried} inputs in ${minutes} min, none failed; ${news} (--seed ${seed})`);
  fs.rmSync(current, { force: true });
  return 0;
}

async function tryInput(input: string): Promise<void> {
  fs.writeFileSync(current, input);
  await attempt(input);
}

async function faultOf(input: string): Promise<{ readonly error: unknown } | null> {
  try {
    await tryInput(input);
    return null;
  } catch (error) {
    return { error };
  }
}

/** A round in which nothing was new costs one reading, all others one for each input as well. */
async function keepWhatReachedMore(inputs: readonly string[]): Promise<void> {
  const ran = await readCounts();
  if (!reached.isNews(ran)) return;
  for (const input of inputs) {
    await attempt(input);
    const ofThis = await readCounts();
    if (reached.isNews(ofThis)) kept.keep(input);
    reached.add(ofThis);
  }
  // What depends on more than the input is reached by none of them alone.
  reached.add(ran);
}

function keepCase(
  input: string,
  { errorInstance, seed }: Pick<fc.RunDetails<[string]>, 'errorInstance' | 'seed'>,
): number {
  const file = writeInput(path.join(root, 'test/fuzz/cases', name), input);
  fs.rmSync(current, { force: true });
  console.error(`${name}: an input fails (--seed ${seed}); kept as ${path.relative(root, file)}`);
  console.error(errorInstance);
  return 1;
}
