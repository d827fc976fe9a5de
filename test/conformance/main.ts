/**
 * Compares with recorded behaviour of other implementations, and with a baseline that may only get better.
 *
 *     npm run conformance                              every part, against the baseline
 *     npm run conformance -- jinja chat-cases          some parts
 *     npm run conformance -- --details                 and what each part says about itself, keyword by keyword
 *     npm run conformance -- --update                  write the baseline anew
 *     npm run conformance -- maskbench FILE --json     any file of MaskBench's form
 *
 * The data is not part of the project: IDIOLECT_CONFORMANCE names its folder, by default
 * `../shared/conformance` beside the repository.
 */
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import pc from 'picocolors';
import { overrides } from '../../src/analysis/overrides.ts';
import { parts } from './parts.ts';
import { runMaskBenchFile } from './run-maskbench.ts';

// What runs is built, because times are measured; npm starts it in the folder of the package.
const dataFolder = path.resolve(process.env.IDIOLECT_CONFORMANCE ?? '../shared/conformance');
const baselineFile = path.resolve('test/conformance/baseline.json');

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    update: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    failures: { type: 'boolean', default: false },
    details: { type: 'boolean', default: false },
  },
});

async function main(): Promise<void> {
  const [first, file] = positionals;
  if (first === 'maskbench' && file !== undefined) return runMaskBenchFile(file, flags.json);
  if (!fs.existsSync(dataFolder)) {
    process.stdout.write(`no conformance data at ${dataFolder}: nothing compared\n`);
    return;
  }
  const baseline: Record<string, number> = JSON.parse(fs.readFileSync(baselineFile, 'utf8'));
  const chosen = parts.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const results: Record<string, number> = {};
  for (const part of chosen) {
    const started = Date.now();
    const { passed, total, failures, details = [] } = await part.run(dataFolder);
    results[part.name] = passed;
    const before = baseline[part.name] ?? 0;
    const verdict =
      passed < before
        ? pc.red(`worse than ${before}`)
        : passed > before
          ? pc.green(`better than ${before}`)
          : '';
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    process.stdout.write(
      `${part.name.padEnd(28)} ${String(passed).padStart(6)} of ${String(total).padEnd(6)} ${verdict} ${pc.dim(`${seconds} s`)}\n`,
    );
    if (flags.failures || passed < before)
      for (const line of failures.slice(0, 40)) process.stdout.write(`    ${line}\n`);
    if (flags.details) for (const line of details) process.stdout.write(`    ${line}\n`);
    if (passed < before) process.exitCode = 1;
  }
  process.stdout.write(`${'override files'.padEnd(28)} ${String(overrides.length).padStart(6)}\n`);
  if (flags.update)
    fs.writeFileSync(baselineFile, `${JSON.stringify({ ...baseline, ...results }, null, 2)}\n`);
}

await main();
