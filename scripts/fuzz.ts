/**
 * `npm run fuzz -- <target> --minutes 10 [--seed n]`: draws inputs for one target of `test/fuzz/targets.ts`, until the
 * time is over or one fails. That one is made as small as can be and kept as a case, which the tests try from then on.
 * The input that is being tried stands in `.cache/fuzz/<target>.txt`, so one that hangs or ends the process is known.
 */
import { createHash, randomInt } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import fc from 'fast-check';
import { fuzzTargets } from '../test/fuzz/targets.ts';

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

const seed = Number(values.seed ?? randomInt(2 ** 31));
const { inputs, attempt } = target;
const current = path.join(import.meta.dirname, '../.cache/fuzz', `${name}.txt`);
fs.mkdirSync(path.dirname(current), { recursive: true });
if (fs.existsSync(current))
  console.error(`the last run ended in the midst of ${path.relative('.', current)}`);
console.error(`${name}: --seed ${seed}`);

const result = await fc.check(
  fc.asyncProperty(inputs, async (input) => {
    fs.writeFileSync(current, input);
    await attempt(input);
  }),
  { seed, numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit: minutes * 60_000 },
);
fs.rmSync(current, { force: true });
const { counterexample, errorInstance, numRuns } = result;
const [input] = counterexample ?? [];
if (input === undefined) {
  console.log(`${name}: ${numRuns} inputs in ${minutes} min, none failed (--seed ${seed})`);
} else {
  const folder = path.join(import.meta.dirname, '../test/fuzz/cases', name);
  fs.mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `${createHash('sha256').update(input).digest('hex').slice(0, 12)}.txt`);
  fs.writeFileSync(file, input);
  console.error(`${name}: input ${numRuns} fails (--seed ${seed}); kept as ${path.relative('.', file)}`);
  console.error(errorInstance);
  process.exitCode = 1;
}
