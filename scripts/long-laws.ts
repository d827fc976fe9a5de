/**
 * `npm run laws:long [-- test/laws …]`: the long form of every test that has one, each file in a process of its own, so
 * that one that ends early ends nothing else. Prints a row for each as it ends, and writes what failed, with the command
 * that repeats it, into `.cache/laws`.
 */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: process.env.SEED ?? String(randomInt(2 ** 31)) },
    shard: { type: 'string', default: '1/1' },
    minutes: { type: 'string', default: '360' },
    list: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

const help = `npm run laws:long -- [file or folder of test …]

  --seed 1        the cases that are drawn; SEED says it, too
  --shard 3/20    every twentieth file, from the third on
  --minutes 360   a file that takes longer is stopped, and counts as failed
  --list          only names the files`;

const root = path.join(import.meta.dirname, '..');
const reports = path.join(root, '.cache/laws');

/** What became of one file. */
interface Outcome {
  readonly passed: number;
  /** What the failed tests say, by their names. */
  readonly failed: Readonly<Record<string, string>>;
}

/** The part of vitest's report that is read. */
interface Report {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages: readonly string[];
    }[];
  }[];
}

if (values.help) console.log(help);
else if (values.list) console.log(chosenFiles().join('\n'));
else process.exitCode = await runAll(chosenFiles());

/** The test files that have a long form, or tables of which they try a sample, in the shard that was asked for. */
function chosenFiles(): readonly string[] {
  const [part = 1, parts = 1] = values.shard.split('/').map(Number);
  const named = positionals.length === 0 ? ['test'] : positionals.map((each) => each.replace(/\/$/, ''));
  const files = fs
    .readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((file) => `test/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith('.test.ts') && !/^test\/(?:browser|gpu)\//.test(file))
    .filter((file) => named.some((name) => file === name || file.startsWith(`${name}/`)))
    .filter((file) => /\bLAWS\b|\/sample\.ts'/.test(fs.readFileSync(path.join(root, file), 'utf8')))
    .sort();
  if (files.length === 0) throw new Error(`no test of ${named.join(', ')} has a long form`);
  return files.filter((_, place) => place % parts === part - 1);
}

async function runAll(files: readonly string[]): Promise<number> {
  fs.rmSync(reports, { recursive: true, force: true });
  fs.mkdirSync(reports, { recursive: true });
  console.log(`SEED=${values.seed}\n\n| file | passed | failed | minutes |\n|---|---|---|---|`);
  const [begun, total] = [Date.now(), { passed: 0, failed: 0 }];
  for (const file of files) {
    const start = Date.now();
    const { passed, failed } = await outcomeOf(file);
    const names = Object.keys(failed);
    total.passed += passed;
    total.failed += names.length;
    console.log(`| ${file} | ${passed} | ${names.length} | ${minutesSince(start)} |`);
    if (names.length > 0) writeFailures(file, failed);
  }
  console.log(`| **${files.length} files** | ${total.passed} | ${total.failed} | ${minutesSince(begun)} |`);
  if (total.failed > 0) console.log(`\nWhat failed stands in ${path.relative(root, reports)}.`);
  return total.failed > 0 ? 1 : 0;
}

async function outcomeOf(file: string): Promise<Outcome> {
  const report = path.join(reports, 'report.json');
  fs.rmSync(report, { force: true });
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const options = [
    '--reporter=json',
    `--outputFile=${report}`,
    '--testTimeout=21600000',
    '--hookTimeout=3600000',
  ];
  const child = spawn(process.execPath, [vitest, 'run', file, ...options], {
    cwd: root,
    env: { ...process.env, LAWS: 'long', SEED: values.seed },
    // A group of its own, so that its workers can be ended with it.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr.on('data', (data: Buffer) => {
    said = (said + data.toString()).slice(-4000);
  });
  const waiting = new AbortController();
  const hasEnded = await Promise.race([
    once(child, 'close').then(() => true),
    setTimeout(Number(values.minutes) * 60_000, false, waiting),
  ]);
  waiting.abort();
  if (!hasEnded && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  if (!hasEnded)
    return { passed: 0, failed: { 'the whole file': `it took more than ${values.minutes} minutes` } };
  if (!fs.existsSync(report)) return { passed: 0, failed: { 'the whole file': `it ended early: ${said}` } };
  return readReport(JSON.parse(fs.readFileSync(report, 'utf8')) as Report);
}

function readReport({ testResults }: Report): Outcome {
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === 'failed');
  const unread = testResults.filter(
    ({ assertionResults, message }) => assertionResults.length === 0 && message !== '',
  );
  return {
    passed: tests.filter(({ status }) => status === 'passed').length,
    failed: Object.fromEntries([
      ...unread.map(({ message }) => ['the whole file', message] as const),
      ...failed.map(({ fullName, failureMessages }) => [fullName, failureMessages.join('\n')] as const),
    ]),
  };
}

/** Writes what failed to a file of that test's name. */
function writeFailures(file: string, failed: Outcome['failed']): void {
  const command = `LAWS=long SEED=${values.seed} npx vitest run ${file}`;
  const texts = Object.entries(failed).map(([name, message]) => `## ${name}\n\n${message}\n`);
  fs.writeFileSync(
    path.join(reports, `${file.replaceAll('/', '-')}.md`),
    `# ${file}\n\n    ${command}\n\nWhat a law finds becomes a case that every run tries.\n\n${texts.join('\n')}`,
  );
}

function minutesSince(start: number): string {
  return ((Date.now() - start) / 60_000).toFixed(1);
}
