/** Compares with recorded behaviour of other implementations, see `command-line.ts`. */
import fs from 'node:fs';
import path from 'node:path';
import pc from 'picocolors';
import { overrides } from '../../src/analysis/overrides/format-override.ts';
import { type Flags, readCommandLine, usage } from './command-line.ts';
import { parts } from './parts.ts';
import { runMaskBenchFile } from './run-maskbench.ts';

// What runs is built, because times are measured; npm starts it in the folder of the package.
const dataFolder = path.resolve(process.env.IDIOLECT_CONFORMANCE ?? '../shared/conformance');
const baselineFile = path.resolve('test/conformance/baseline.json');

/** Runs what the command line asks for. */
export async function run(): Promise<void> {
  const known = parts.map(({ name }) => name);
  const help = `${usage}\nParts (a name with spaces in quotes):\n${known.map((name) => `  ${name}\n`).join('')}`;
  const request = readCommandLine(process.argv.slice(2), known);
  switch (request.kind) {
    case 'help':
      process.stdout.write(help);
      return;
    case 'wrong':
      process.stderr.write(`${pc.red('error')} ${request.reason}\n\n${help}`);
      process.exitCode = 1;
      return;
    case 'maskbench-file':
      return runMaskBenchFile(request.file, request.flags.json);
    case 'parts':
      return runParts(request.names, request.flags);
  }
}

async function runParts(names: readonly string[], flags: Flags): Promise<void> {
  if (!fs.existsSync(dataFolder)) {
    process.stdout.write(`no conformance data at ${dataFolder}: nothing compared\n`);
    return;
  }
  const baseline: Record<string, number> = JSON.parse(fs.readFileSync(baselineFile, 'utf8'));
  const chosen = parts.filter(({ name }) => names.includes(name));
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
