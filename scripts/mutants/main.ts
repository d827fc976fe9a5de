/**
 * `npm run mutants -- src/parser/reader.ts [folder …]`: makes small changes in the sources, one at a time, runs the tests
 * that evaluate the changed place, and lists the changes that no test noticed. Nothing on disk is changed.
 *
 * First every test runs once, while each place notes that it is evaluated; then each mutant meets the tests of its place,
 * the nearest and quickest first, until one fails. A mutant that an earlier run saw killed by a test that is still the
 * same is not tried again.
 */
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import picocolors from 'picocolors';
import type { Hits } from './hits.ts';
import { type Mutant, mutantsOf, mutated, withHits } from './mutations.ts';
import {
  hashOf,
  type Kill,
  keep,
  kept,
  recordedScores,
  recordScores,
  root,
  type Score,
  sourceOf,
  whyEquivalent,
} from './records.ts';
import { WorkerProcess } from './worker-process.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '25' },
    seed: { type: 'string', default: '1' },
    shard: { type: 'string', default: '1/1' },
    tests: { type: 'string', default: 'test/' },
    seconds: { type: 'string', default: '3600' },
    minutes: { type: 'string', default: '600' },
    record: { type: 'boolean', default: false },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const help = `npm run mutants -- [file or folder of src …]

  --sample 25     mutants of each file, drawn by the seed; 0 takes all
  --seed 1        draws others
  --shard 3/20    every twentieth file, from the third on
  --tests test/   only test files whose path begins so, several with commas
  --seconds 3600  each mutant meets tests of so long in all, the quickest first
  --minutes 600   ends after so long, with what it has
  --record        writes the scores of the files into scripts/mutants/scores.json
  --json FILE     every mutant with what became of it`;

/** What became of a mutant: the test that noticed it, or null. */
interface Outcome {
  readonly mutant: Mutant;
  readonly verdict: 'killed' | 'timeout' | 'survived' | 'unreached' | 'equivalent';
  readonly test: string | null;
}

/** The places by test file, and how long it took in ms. */
type Reach = Readonly<Record<string, { readonly places: readonly string[]; readonly time: number }>>;

/** What is kept of a test file, under the hash of its text. */
interface KeptReach {
  readonly places: readonly string[];
  readonly time: number;
  readonly hash: string;
}

/** Where the tests of this run note what they evaluate. */
const notes = path.join(root, '.cache/mutants', `hits-${process.pid}.jsonl`);

if (values.help) console.log(help);
else process.exitCode = await run();

async function run(): Promise<number> {
  const end = Date.now() + Number(values.minutes) * 60_000;
  const files = chosenFiles();
  const reach = await reachOf(files);
  const worker = new WorkerProcess({ bail: 1, hits: null, seed: values.seed });
  const outcomes: Outcome[] = [];
  for (const file of files) {
    if (Date.now() > end) break;
    const source = sourceOf(file);
    const mutants = mutantsOf(file, source);
    for (const number of drawn(mutants.length, file)) {
      const mutant = mutants[number];
      if (mutant === undefined || Date.now() > end) break;
      const outcome = await outcomeOf(worker, mutant, number, source, reach);
      outcomes.push(outcome);
      tell(outcome, source);
    }
  }
  await worker.stop();
  return report(outcomes);
}

/** The files of `src` that were named, in the shard that was asked for. */
function chosenFiles(): readonly string[] {
  const [part = 1, parts = 1] = values.shard.split('/').map(Number);
  const all = fs
    .readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file}`)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .sort();
  const named = positionals.length === 0 ? ['src'] : positionals;
  const within = all.filter((file) => named.some((name) => file === name || file.startsWith(`${name}/`)));
  if (within.length === 0) throw new Error(`no source file is named ${named.join(', ')}`);
  return within.filter((_, place) => place % parts === part - 1);
}

/**
 * What the tests evaluate: each runs once, while the places of all mutants note that they are evaluated. A test file that
 * is still the same, like all that tests share, is not run again.
 */
async function reachOf(files: readonly string[]): Promise<Reach> {
  const texts = Object.fromEntries(
    files.map((file) => [file, withHits(sourceOf(file), mutantsOf(file, sourceOf(file)), file)]),
  );
  const name = `reach/${hashOf(files.join())}`;
  const key = hashOf(JSON.stringify([texts, sharedTexts(), values.seed]));
  const known: Record<string, KeptReach> = kept(name, key) ?? {};
  const worker = new WorkerProcess({ bail: 0, hits: notes, seed: values.seed });
  const starts = values.tests.split(',');
  const tests = (await worker.tests()).filter((test) => starts.some((start) => test.startsWith(start)));
  const hashes = new Map(tests.map((test) => [test, hashOf(sourceOf(test))]));
  const changed = tests.filter((test) => known[test]?.hash !== hashes.get(test));
  for (const [test, { places, time }] of Object.entries(await hitsOf(worker, texts, changed)))
    known[test] = { places, time, hash: hashes.get(test) ?? '' };
  await worker.stop();
  if (changed.length > 0) keep(name, key, known);
  return Object.fromEntries(Object.entries(known).filter(([test]) => hashes.has(test)));
}

async function hitsOf(
  worker: WorkerProcess,
  texts: Readonly<Record<string, string>>,
  tests: readonly string[],
): Promise<Reach> {
  if (tests.length === 0) return {};
  console.error(picocolors.dim(`${tests.length} test files note what they evaluate …`));
  fs.mkdirSync(path.dirname(notes), { recursive: true });
  const answer = await worker.run({ files: texts, tests }, 3_600_000);
  if (answer === null) throw new Error('the tests did not end within an hour');
  if (answer.failed !== null) throw new Error(`a test fails without any mutant: ${answer.failed}`);
  const lines = fs.readFileSync(notes, 'utf8').trimEnd().split('\n');
  fs.rmSync(notes);
  const hits = lines.map((line) => JSON.parse(line) as Hits);
  return Object.fromEntries(
    hits.map(({ test, places }) => {
      const name = path.relative(root, test);
      return [name, { places, time: answer.times[name] ?? 0 }];
    }),
  );
}

/** The texts that test files share. */
function sharedTexts(): readonly string[] {
  return fs
    .readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .sort()
    .map((file) => `${file} ${hashOf(sourceOf(`test/${file}`))}`);
}

/** Numbers below `count` in random order that the seed and the file's name decide, as many as the sample has. */
function drawn(count: number, file: string): readonly number[] {
  const all = Array.from({ length: count }, (_, number) => number);
  const wanted = Number(values.sample);
  if (wanted === 0 || wanted >= count) return all;
  const order = new Map(all.map((number) => [number, hashOf(`${values.seed} ${file} ${number}`)]));
  const sorted = [...all].sort((a, b) => ((order.get(a) ?? '') < (order.get(b) ?? '') ? -1 : 1));
  return sorted.slice(0, wanted).sort((a, b) => a - b);
}

async function outcomeOf(
  worker: WorkerProcess,
  mutant: Mutant,
  number: number,
  source: string,
  reach: Reach,
): Promise<Outcome> {
  if (whyEquivalent(mutant, source) !== null) return { mutant, verdict: 'equivalent', test: null };
  const tests = testsOf(mutant.file, number, reach);
  if (tests.length === 0) return { mutant, verdict: 'unreached', test: null };
  const name = `killed/${mutant.file.replaceAll('/', '-')}-${number}`;
  const key = hashOf(source + mutant.start + mutant.text);
  const kill = kept<Kill>(name, key);
  if (kill !== null && tests.includes(kill.test) && hashOf(sourceOf(kill.test)) === kill.hash)
    return { mutant, verdict: 'killed', test: kill.test };
  const files = { [mutant.file]: mutated(source, mutant) };
  const time = tests.reduce((sum, test) => sum + (reach[test]?.time ?? 0), 0);
  const answer = await worker.run({ files, tests }, 30_000 + 5 * time);
  if (answer === null) return { mutant, verdict: 'timeout', test: null };
  if (answer.failed === null) return { mutant, verdict: 'survived', test: null };
  const test = answer.failed.split(': ', 1)[0] ?? '';
  if (fs.existsSync(path.join(root, test)) && test !== '')
    keep(name, key, { test, hash: hashOf(sourceOf(test)) } satisfies Kill);
  return { mutant, verdict: 'killed', test: answer.failed };
}

/**
 * The tests that evaluate a mutant's place, those of its own room first, the quickest first, as many as there is time for. A place that only the import
 * of its file evaluates has all tests of the file.
 */
function testsOf(file: string, number: number, reach: Reach): readonly string[] {
  const hit = Object.keys(reach).filter((test) => reach[test]?.places.includes(`${file}:${number}`));
  const tests =
    hit.length > 0
      ? hit
      : Object.keys(reach).filter((test) =>
          reach[test]?.places.some((place) => place.startsWith(`${file}:`)),
        );
  const room = file.split('/')[1] ?? '';
  const rank = (test: string) => (test.startsWith(`test/${room}/`) ? 0 : 1);
  const time = (test: string) => reach[test]?.time ?? 0;
  let left = 1000 * Number(values.seconds);
  return tests
    .sort((a, b) => rank(a) - rank(b) || time(a) - time(b))
    .filter((test) => {
      left -= time(test);
      return left >= 0;
    });
}

function tell({ mutant, verdict, test }: Outcome, source: string): void {
  if (verdict === 'killed' || verdict === 'timeout' || verdict === 'equivalent') {
    process.stderr.write(picocolors.dim('.'));
    return;
  }
  const line = source.split('\n')[mutant.line - 1]?.trim() ?? '';
  const from = source.slice(mutant.start, mutant.end).replace(/\s+/g, ' ');
  console.log(
    `\n${picocolors.bold(`${mutant.file}:${mutant.line}`)} ${verdict} (${mutant.kind})${test ?? ''}`,
  );
  console.log(`  ${line}\n  ${picocolors.red(from)} → ${picocolors.green(mutant.text)}`);
}

/** Prints the scores; 1 when a file is below the score that is checked in. */
function report(outcomes: readonly Outcome[]): number {
  if (values.json !== undefined) fs.writeFileSync(values.json, JSON.stringify(outcomes, null, 1));
  const scores = scoresOf(outcomes);
  console.log('\n\n| file | mutants | killed | equivalent | % |\n|---|---|---|---|---|');
  for (const [name, score] of Object.entries(scores)) console.log(row(name, score));
  for (const [room, score] of Object.entries(sumsByRoom(scores))) console.log(row(`**${room}**`, score));
  if (values.record) recordScores(scores);
  const recorded = recordedScores();
  const fallen = Object.entries(scores).filter(([file, score]) => {
    const before = recorded[file];
    return before !== undefined && shareOf(score) < shareOf(before);
  });
  for (const [file] of fallen) console.log(picocolors.red(`${file} is below its recorded score`));
  return fallen.length === 0 ? 0 : 1;
}

function scoresOf(outcomes: readonly Outcome[]): Readonly<Record<string, Score>> {
  const scores: Record<string, Score> = {};
  for (const { mutant, verdict } of outcomes) {
    const killed = verdict === 'killed' || verdict === 'timeout' ? 1 : 0;
    const equivalent = verdict === 'equivalent' ? 1 : 0;
    scores[mutant.file] = sumOf(scores[mutant.file], { mutants: 1, killed, equivalent });
  }
  return scores;
}

function sumsByRoom(scores: Readonly<Record<string, Score>>): Readonly<Record<string, Score>> {
  const sums: Record<string, Score> = {};
  for (const [file, score] of Object.entries(scores)) sums[roomOf(file)] = sumOf(sums[roomOf(file)], score);
  return sums;
}

function sumOf(one: Score = { mutants: 0, killed: 0, equivalent: 0 }, other: Score): Score {
  return {
    mutants: one.mutants + other.mutants,
    killed: one.killed + other.killed,
    equivalent: one.equivalent + other.equivalent,
  };
}

/** The share of the mutants that a test can find. */
function shareOf({ mutants, killed, equivalent }: Score): number {
  return mutants === equivalent ? 1 : killed / (mutants - equivalent);
}

function roomOf(file: string): string {
  const [, room = '', next] = file.split('/');
  return next === undefined || next.endsWith('.ts') ? room : room === 'runtime' ? `runtime/${next}` : room;
}

function row(name: string, score: Score): string {
  const { mutants, killed, equivalent } = score;
  return `| ${name} | ${mutants} | ${killed} | ${equivalent} | ${Math.round(100 * shareOf(score))} |`;
}
