/**
 * `npm run judge:references -- NAME … [--record] [--differences N] [--seed N] [--drawn N]`: the code of the formats' makers, and the parsers of
 * vLLM and SGLang, next to ours on the same responses. The table says how many readings agree, and whose differ from
 * the message that was written. `--record` keeps what they say in `test/references/recorded`, which tests read without
 * Python. Nobody needs this to build, test or use Idiolect.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Verdict, verdicts } from './reading.ts';
import { type Comparison, references } from './references.ts';

const recordedFolder = fileURLToPath(new URL('../../test/references/recorded', import.meta.url));
/** How many readings of a reference are recorded. */
const mostRecorded = 600;
const mostPrompts = 50;

const args = process.argv.slice(2);
const numberAfter = (option: string, otherwise: number): number =>
  args.includes(option) ? Number(args[args.indexOf(option) + 1]) : otherwise;
const shown = numberAfter('--differences', 5);
const amount = { seed: numberAfter('--seed', 1), drawn: numberAfter('--drawn', 100) };
const chosen = args.filter((each) => references.has(each));
if (chosen.length === 0) {
  console.error(`name at least one of ${[...references.keys()].join(', ')}`);
  process.exit(2);
}

for (const name of chosen) {
  const compared = await references.get(name)?.(amount);
  if (compared === undefined) continue;
  printTable(name, compared);
  if (args.includes('--record') && compared.some(({ recorded }) => recorded !== undefined))
    record(name, compared);
}

function printTable(name: string, compared: readonly Comparison[]): void {
  console.log(`\n${name}: ${compared.length} comparisons`);
  const modes = [...new Set(compared.map(({ mode }) => mode))];
  console.log(['', ...verdicts].map((each) => each.padEnd(24)).join(''));
  for (const mode of modes) {
    const count = (verdict: Verdict) =>
      compared.filter((each) => each.mode === mode && each.verdict === verdict).length;
    console.log(
      [mode, ...verdicts.map((each) => String(count(each)))].map((each) => each.padEnd(24)).join(''),
    );
  }
  for (const verdict of ['ours', 'understood differently'] as const) {
    const some = compared.filter((each) => each.verdict === verdict);
    const kinds = new Map<string, number>();
    for (const { subject } of some) kinds.set(subject, (kinds.get(subject) ?? 0) + 1);
    for (const [subject, count] of kinds) console.log(`  ${verdict}: ${count} of ${subject}`);
    for (const { subject, text, ours, theirs } of some.slice(0, shown)) {
      console.log(`    ${subject}: ${JSON.stringify(text)}\n      ours   ${ours}\n      theirs ${theirs}`);
    }
  }
}

/** Keeps what both agree on, evenly over all of it: readings, and prompts in a file of their own. */
function record(name: string, compared: readonly Comparison[]): void {
  const agreed = compared.filter(({ verdict }) => verdict === 'agree');
  write(
    `${name}.jsonl`,
    agreed.flatMap(({ recorded }) => recorded ?? []),
    mostRecorded,
  );
  const prompts = agreed.flatMap(({ recordedPrompt }) => recordedPrompt ?? []);
  writeTemplates(agreed);
  if (prompts.length > 0) write(`../prompts/${name}.jsonl`, prompts, mostPrompts);
}

/** Templates of no corpus, which the readings and prompts are about. */
function writeTemplates(compared: readonly Comparison[]): void {
  const sources = new Map(
    compared.flatMap(({ source, recorded }) =>
      source === undefined || recorded === undefined ? [] : [[recorded.template, source] as const],
    ),
  );
  for (const [template, source] of sources) {
    const file = path.join(recordedFolder, '../templates', `${template}.jinja`);
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, source);
  }
}

function write(name: string, all: readonly object[], most: number): void {
  const step = Math.max(1, Math.ceil(all.length / most));
  const lines = all.filter((_, index) => index % step === 0).map((each) => JSON.stringify(each));
  const file = path.join(recordedFolder, name);
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, `${lines.join('\n')}\n`);
  console.log(`  recorded ${lines.length} in ${path.relative(process.cwd(), file)}`);
}
