/**
 * `npm run mutants -- src/parser/reader.ts [folder …]`: makes small changes in the sources, one at a time, runs the tests
 * that evaluate the changed place, and lists the changes that no test noticed. Nothing on disk is changed.
 *
 * Every test runs, and then again with each mutant whose place it evaluates and that nothing has noticed yet: all mutants
 * are in the sources at once, and one at a time takes effect. First each meets a few tests of every suite, then all. A
 * place that only the import of its file evaluates has a run of its own. A mutant that an earlier run saw killed by a test
 * that is still the same is not tried again.
 */
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import picocolors from 'picocolors';
import { centralSources, namedSources, roomOf, shardOf } from './chosen-files.ts';
import { type Mutant, mutantsOf, mutated, placeOf, withHits } from './mutations.ts';
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
import type { Wanted } from './runner.ts';
import { type Reach, runTogether } from './together.ts';
import { WorkerProcess } from './worker-process.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    sample: { type: 'string', default: '25' },
    seed: { type: 'string', default: '1' },
    shard: { type: 'string', default: '1/1' },
    central: { type: 'boolean', default: false },
    tests: { type: 'string', default: 'test/' },
    seconds: { type: 'string', default: '3600' },
    alone: { type: 'boolean', default: false },
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
  --central       the forty files on which most depends, by the rule of chosen-files.ts
  --tests test/   only test files whose path begins so, several with commas
  --seconds 3600  each mutant meets tests of so long in all
  --alone         what survives meets its tests once more, in sources that are loaded with it
  --minutes 600   ends after so long, with what it has; 0 shows what earlier runs found
  --record        writes the scores of the files into scripts/mutants/scores.json
  --json FILE     every mutant with what became of it`;

/** What became of a mutant: the test that noticed it, or null. One that is `open` has not met all tests. */
interface Outcome {
  readonly mutant: Mutant;
  readonly verdict: 'killed' | 'timeout' | 'survived' | 'unreached' | 'equivalent' | 'open';
  readonly test: string | null;
}

/** A mutant of the sample, with its place among those of its file, and the file's text. */
interface Drawn {
  readonly mutant: Mutant;
  readonly number: number;
  readonly source: string;
}

/** What is known of test files, by path. */
type KnownReach = Readonly<Record<string, KeptReach>>;

/** What is kept of a test file. */
type KeptReach = Reach[string] & {
  /** That of its text. */
  readonly hash: string;
  /** The mutants that it met and did not notice. */
  readonly tried: readonly string[];
  /** Whether it met them with all of its tests. */
  readonly isAll: boolean;
};

const noScore: Score = { mutants: 0, killed: 0, equivalent: 0 };

if (values.help) console.log(help);
else process.exitCode = await run();

async function run(): Promise<number> {
  const end = Date.now() + Number(values.minutes) * 60_000;
  const files = shardOf(values.central ? centralSources() : namedSources(positionals), values.shard);
  const sample = files.flatMap(sampleOf);
  const reach = await reachOf(files, sample, end);
  const worker = new WorkerProcess({ bail: 1, seed: values.seed });
  const outcomes: Outcome[] = [];
  for (const drawn of sample) {
    const outcome = await outcomeOf(worker, drawn, reach, end);
    outcomes.push(outcome);
    tell(outcome, drawn.source);
  }
  await worker.stop();
  return report(outcomes);
}

function sampleOf(file: string): readonly Drawn[] {
  const source = sourceOf(file);
  const mutants = mutantsOf(file, source);
  return drawn(mutants.length, file).flatMap((number) => {
    const mutant = mutants[number];
    return mutant === undefined ? [] : [{ mutant, number, source }];
  });
}

/**
 * What the tests evaluate, and the kills of this run, which are kept. A test file that is still the same, like all that
 * tests share, runs only if it evaluates a mutant that nothing has noticed yet.
 */
async function reachOf(files: readonly string[], sample: readonly Drawn[], end: number): Promise<KnownReach> {
  const open = new Map(
    sample
      .filter((each) => whyEquivalent(each.mutant, each.source) === null && killOf(each) === null)
      .map((each) => [placeOf(each.mutant.file, each.number), each]),
  );
  const name = `reach/${hashOf(files.join())}`;
  const { sample: size, seed, seconds } = values;
  const key = hashOf(JSON.stringify([markedTexts(files, new Set()), sharedTexts(), size, seed, seconds]));
  const known: Record<string, KeptReach> = kept(name, key) ?? {};
  const hashes = new Map(chosenTests().map((test) => [test, hashOf(sourceOf(test))]));
  for (const isAll of [false, true]) {
    const isNeeded = (test: string) => {
      const before = known[test];
      if (before === undefined || before.hash !== hashes.get(test)) return true;
      return isAll && !before.isAll && before.places.some((place) => open.has(place));
    };
    const tests = byNearness([...hashes.keys()].filter(isNeeded), files, known);
    if (tests.length === 0 || Date.now() > end) continue;
    console.error(picocolors.dim(`${tests.length} test files meet ${open.size} mutants …`));
    const texts = markedTexts(files, new Set(open.keys()));
    const found = await runTogether({
      files: texts,
      tests,
      wanted: wantedOf([...open.keys()], isAll),
      seed,
      end,
    });
    for (const [test, each] of Object.entries(found.reach)) {
      const tried = [...(found.tried.get(test) ?? [])];
      known[test] = { ...each, hash: hashes.get(test) ?? '', tried, isAll };
    }
    for (const [place, test] of found.kills) {
      const killed = open.get(place);
      if (killed !== undefined) keepKill(killed, test);
      open.delete(place);
    }
  }
  keep(name, key, known);
  return Object.fromEntries(Object.entries(known).filter(([test]) => hashes.has(test)));
}

/** The texts of the files, in which places note that they are evaluated, and `switched` mutants can take effect. */
function markedTexts(
  files: readonly string[],
  switched: ReadonlySet<string>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    files.map((file) => [file, withHits(sourceOf(file), mutantsOf(file, sourceOf(file)), file, switched)]),
  );
}

/** Mutants meet all tests for as long as they may, or at first only some of each suite, for a short time. */
function wantedOf(mutants: readonly string[], isAll: boolean): Wanted {
  const time = 1000 * Number(values.seconds);
  return isAll
    ? { mutants, time, testsOfSuite: null }
    : { mutants, time: Math.min(500, time), testsOfSuite: 6 };
}

/** The test files that were named; those of a GPU or a browser have runs of their own. */
function chosenTests(): readonly string[] {
  return fs
    .readdirSync(path.join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.test.ts') && !/^(?:gpu|browser)\//.test(file))
    .map((file) => `test/${file}`)
    .filter(isChosen);
}

function isChosen(test: string): boolean {
  return values.tests.split(',').some((start) => test.startsWith(start));
}

/** The test files that are named after a source first, then those of their rooms, the quickest first. */
function byNearness(tests: readonly string[], files: readonly string[], reach: Reach): readonly string[] {
  const rooms = new Set(files.map((file) => file.split('/')[1]));
  const names = new Set(files.map((file) => path.basename(file, '.ts')));
  const rank = (test: string) =>
    names.has(path.basename(test, '.test.ts')) ? 0 : rooms.has(test.split('/')[1]) ? 1 : 2;
  const time = (test: string) => reach[test]?.time ?? 0;
  return [...tests].sort((a, b) => rank(a) - rank(b) || time(a) - time(b));
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

/**
 * What became of a mutant at the end of the time. One that only the import of its file evaluates meets
 * tests in sources of its own.
 */
async function outcomeOf(
  worker: WorkerProcess,
  drawn: Drawn,
  reach: KnownReach,
  end: number,
): Promise<Outcome> {
  const { mutant, number, source } = drawn;
  if (whyEquivalent(mutant, source) !== null) return { mutant, verdict: 'equivalent', test: null };
  const kill = killOf(drawn);
  if (kill !== null) return { mutant, verdict: 'killed', test: kill };
  const place = placeOf(mutant.file, number);
  const reaching = Object.values(reach).filter(({ places }) => places.includes(place));
  if (!values.alone && reaching.some(({ tried }) => tried.includes(place)))
    return {
      mutant,
      verdict: reaching.every(({ isAll }) => isAll) && isWhole(reach) ? 'survived' : 'open',
      test: null,
    };
  const tests = testsOf(mutant.file, number, reach);
  if (tests.length === 0) return { mutant, verdict: isWhole(reach) ? 'unreached' : 'open', test: null };
  const survival = `survived/${recordOf(drawn).name}`;
  const met = hashOf(recordOf(drawn).key + tests.map((test) => test + hashOf(sourceOf(test))).join());
  if (kept<boolean>(survival, met) === true) return { mutant, verdict: 'survived', test: null };
  if (Date.now() > end) return { mutant, verdict: 'open', test: null };
  const files = { [mutant.file]: mutated(source, mutant) };
  const time = tests.reduce((sum, test) => sum + (reach[test]?.time ?? 0), 0);
  const answer = await worker.run({ files, tests }, 30_000 + 5 * time);
  if (answer === null) return { mutant, verdict: 'timeout', test: null };
  if (answer.failed === null) {
    keep(survival, met, true);
    return { mutant, verdict: 'survived', test: null };
  }
  const test = answer.failed.split(': ', 1)[0] ?? '';
  if (test !== '' && fs.existsSync(path.join(root, test))) keepKill(drawn, test);
  return { mutant, verdict: 'killed', test: answer.failed };
}

/** Whether each test that was named has run. */
function isWhole(reach: KnownReach): boolean {
  return chosenTests().every((test) => Object.hasOwn(reach, test));
}

function recordOf({ mutant, number, source }: Drawn): { readonly name: string; readonly key: string } {
  const name = `${mutant.file.replaceAll('/', '-')}-${number}`;
  return { name, key: hashOf(source + mutant.start + mutant.text) };
}

/** The test file that has killed a mutant in this run or an earlier one, and is still the same. */
function killOf(drawn: Drawn): string | null {
  const { name, key } = recordOf(drawn);
  const kill = kept<Kill>(`killed/${name}`, key);
  if (kill === null || !isChosen(kill.test) || !fs.existsSync(path.join(root, kill.test))) return null;
  return hashOf(sourceOf(kill.test)) === kill.hash ? kill.test : null;
}

function keepKill(drawn: Drawn, test: string): void {
  const { name, key } = recordOf(drawn);
  keep(`killed/${name}`, key, { test, hash: hashOf(sourceOf(test)) } satisfies Kill);
}

/**
 * The tests that evaluate a mutant's place, those of its own room first, the quickest first, as many as there is time for.
 * A place that only the import of its file evaluates has all tests of the file.
 */
function testsOf(file: string, number: number, reach: Reach): readonly string[] {
  const hit = Object.keys(reach).filter((test) => reach[test]?.places.includes(placeOf(file, number)));
  const tests =
    hit.length > 0
      ? hit
      : Object.keys(reach).filter((test) =>
          reach[test]?.places.some((place) => place.startsWith(`${file}:`)),
        );
  let left = 1000 * Number(values.seconds);
  return byNearness(tests, [file], reach).filter((test, at) => {
    left -= reach[test]?.time ?? 0;
    return left >= 0 || at === 0;
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

/**
 * Prints the scores; 1 when a file is below the score that is checked in. Mutants that have not met all tests count as
 * survivors, and their files are not recorded.
 */
function report(outcomes: readonly Outcome[]): number {
  if (values.json !== undefined) fs.writeFileSync(values.json, JSON.stringify(outcomes, null, 1));
  const open = outcomes.filter(({ verdict }) => verdict === 'open');
  const unfinished = new Set(open.map(({ mutant }) => mutant.file));
  const scores = scoresOf(outcomes);
  console.log('\n\n| file | mutants | killed | equivalent | % |\n|---|---|---|---|---|');
  for (const [name, score] of Object.entries(scores))
    console.log(row(unfinished.has(name) ? `${name} (at least)` : name, score));
  for (const [room, score] of Object.entries(sumsByRoom(scores))) console.log(row(`**${room}**`, score));
  console.log(row('**all**', Object.values(scores).reduce(sumOf, noScore)));
  if (open.length > 0)
    console.log(`${open.length} of ${outcomes.length} have not met all tests: the same command goes on`);
  const finished = Object.fromEntries(Object.entries(scores).filter(([file]) => !unfinished.has(file)));
  if (values.record) recordScores(finished);
  const recorded = recordedScores();
  const fallen = Object.entries(finished).filter(([file, score]) => {
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

function sumOf(one: Score = noScore, other: Score): Score {
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

function row(name: string, score: Score): string {
  const { mutants, killed, equivalent } = score;
  return `| ${name} | ${mutants} | ${killed} | ${equivalent} | ${Math.round(100 * shareOf(score))} |`;
}
