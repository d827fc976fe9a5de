/**
 * `npm run judge:leaderboard -- --model qwen2.5-coder-1.5b --arms auto,free,session [--minutes n] [--json file]`:
 * questions of the Berkeley Function Calling Leaderboard, answered by several from the same model file, and judged by
 * the leaderboard's own checker. Questions of all categories come in turn; with `--minutes` the run ends after as many
 * as were reached, and a later one goes on from there with `--from`. The arms are in `arms.ts`; `layer` is by far the slowest.
 */
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { Validity } from '../asking/validity.ts';
import { fetchedFile, judgeModels } from '../files/model-files.ts';
import { outsideFolder } from '../questions/outside.ts';
import { type AnsweredCall, type ArmName, armNames, armTitles, openArms } from './arms.ts';
import { drawQuestions, judgeAnswers, type LeaderboardQuestion, leaderboardPython } from './python.ts';

const categories = [
  'simple_python=25',
  'live_simple=20',
  'multiple=20',
  'live_multiple=20',
  'parallel=15',
  'parallel_multiple=15',
  'live_parallel=5',
  'irrelevance=12',
  'live_irrelevance=8',
];

const usage = `Berkeley Function Calling Leaderboard, judged by its own checker.

  --model NAME         default qwen2.5-coder-1.5b
  --arms NAMES         ${armNames.join(', ')}; default auto,free,marker,session; layer is by far the slowest
  --categories A=N,…   how many questions of each; default ${categories.join(',')}
  --template FILE      a chat template in place of the model's own
  --only TEXT          of these, only the categories whose name contains it
  --from N --first N   the questions from N on, up to the Nth; default 0 and 140
  --minutes N          ends after as many questions as were reached
  --longest N          leaves out questions with more characters of tools; default 2500
  --seed N --threads N default 1
  --json FILE          writes every answer`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    model: { type: 'string', default: 'qwen2.5-coder-1.5b' },
    arms: { type: 'string', default: 'auto,free,marker,session' },
    categories: { type: 'string', default: categories.join(',') },
    template: { type: 'string' },
    only: { type: 'string', default: '' },
    from: { type: 'string', default: '0' },
    first: { type: 'string', default: '140' },
    seed: { type: 'string', default: '1' },
    longest: { type: 'string', default: '2500' },
    threads: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '600' },
    json: { type: 'string' },
  },
});

/** One answer of one arm. */
interface Answer {
  readonly arm: ArmName;
  readonly question: LeaderboardQuestion;
  readonly calls: readonly AnsweredCall[];
  readonly thrown: string | null;
}

const python = leaderboardPython();
const model = judgeModels.find(({ name }) => name === values.model);
const file = model === undefined ? null : fetchedFile(model);
if (values.help) console.log(usage);
else if (python === null)
  console.log('skipped: npm run judge:fetch -- bfcl-eval installs the leaderboard first');
else if (file === null)
  console.log(`skipped: npm run judge:fetch -- ${values.model} fetches the model first`);
else await run(python, file);
process.exit();

async function run(python: string, file: string): Promise<void> {
  const names = values.arms.split(',').map(armOf);
  const drawn = drawQuestions(
    python,
    Number(values.seed),
    Number(values.longest),
    values.categories.split(','),
  );
  const questions = drawn
    .slice(Number(values.from), Number(values.first))
    .filter(({ category }) => category.includes(values.only));
  const chatTemplate = values.template === undefined ? {} : { chatTemplate: templateSource(values.template) };
  const options = { file, threads: Number(values.threads), contextSize: 4096, ...chatTemplate };
  const { arms, dispose } = await openArms(names, options);
  const end = Date.now() + Number(values.minutes) * 60_000;
  const answers: Answer[] = [];
  for (const question of questions) {
    if (Date.now() > end) break;
    for (const [arm, ask] of arms) {
      if (arm === 'required' && question.category.includes('irrelevance')) continue;
      const answer = await ask(question).then(
        (calls) => ({ calls, thrown: null }),
        (error: unknown) => ({ calls: [], thrown: String(error) }),
      );
      answers.push({ arm, question, ...answer });
    }
    process.stderr.write('.');
  }
  await dispose();
  report(python, names, answers);
}

function report(python: string, names: readonly ArmName[], answers: readonly Answer[]): void {
  const asked = new Set(answers.map(({ question }) => question.category));
  console.log(`\n${values.model}, ${values.template ?? 'own template'} (--seed ${values.seed})\n`);
  console.log(
    `| arm | ${[...asked].join(' | ')} | all | calls | invalid | neither enforced nor validated | thrown |`,
  );
  console.log(`|---|${'---|'.repeat(asked.size + 5)}`);
  const judged = names.map((arm) => {
    const own = answers.filter((answer) => answer.arm === arm);
    const verdicts = judgeAnswers(python, own.map(toAnswer));
    const right = new Map(verdicts.map((verdict) => [verdict.id, verdict.right]));
    const part = (of: readonly Answer[]) =>
      of.length === 0 ? '–' : `${of.filter(({ question }) => right.get(question.id)).length}/${of.length}`;
    const cells = [...asked].map((category) =>
      part(own.filter(({ question }) => question.category === category)),
    );
    const calls = own.flatMap(({ calls }) => calls);
    const invalid = own.reduce((sum, answer) => sum + invalidCalls(answer), 0);
    const unassured = calls.filter(({ assurance }) => (assurance ?? 'none') === 'none').length;
    const thrown = own.filter(({ thrown }) => thrown !== null).length;
    console.log(
      `| ${armTitles[arm]} | ${cells.join(' | ')} | ${part(own)} | ${calls.length} | ${invalid} | ${unassured} | ${thrown} |`,
    );
    return { arm, verdicts };
  });
  if (values.json !== undefined)
    fs.writeFileSync(values.json, `${JSON.stringify({ judged, answers }, null, 1)}\n`);
}

function toAnswer({ question: { id, category }, calls }: Answer) {
  return { id, category, calls: calls.map(({ name, input }) => [name, input] as const) };
}

function invalidCalls({ question, calls }: Answer): number {
  const validity = new Validity(question.tools);
  return calls.filter(({ name, input }) => !validity.isValid({ name, arguments: JSON.parse(input) })).length;
}

function armOf(name: string): ArmName {
  const arm = armNames.find((each) => each === name);
  if (arm === undefined) throw new RangeError(`no arm is called ${name}: ${armNames.join(', ')}`);
  return arm;
}

function templateSource(name: string): string {
  const file = [name, path.join(outsideFolder(), `${name}.jinja`)].find((each) => fs.existsSync(each));
  if (file === undefined) throw new RangeError(`no template is called ${name}`);
  return fs.readFileSync(file, 'utf8');
}
