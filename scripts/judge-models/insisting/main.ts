/**
 * `npm run judge:adversarial -- [--seed n] [--texts n] [--formats n] [--only name] [--details]`: scripted models that
 * insist on wrong texts, in every mode; a table of what comes out. Fails if an invalid call or answer was handed out,
 * or an error thrown. Needs nothing but the project.
 */
import { parseArgs } from 'node:util';
import { Random } from '../../toy/random.ts';
import { type Attempt, adversarialModes, attack, outcomes } from './adversarial-run.ts';
import { generatedTemplates } from './chat-templates.ts';

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    texts: { type: 'string', default: '24' },
    formats: { type: 'string', default: '40' },
    only: { type: 'string', default: '' },
    details: { type: 'boolean', default: false },
  },
});
const seed = Number(values.seed);
const matching = (await generatedTemplates()).filter(({ name }) => name.includes(values.only));
const templates = new Random(seed).shuffle(matching).slice(0, Number(values.formats));

const counts = new Map<string, number>();
let wrong = 0;
for (const template of templates) {
  for await (const attempt of attack(template, seed, Number(values.texts))) {
    count(`${attempt.mode} ${attempt.outcome}`);
    if (!isWrong(attempt)) continue;
    wrong += 1;
    if (values.details) console.log(describe(attempt));
  }
  process.stderr.write('.');
}

console.log(`\n${templates.length} formats, ${values.texts} texts each (--seed ${seed})\n`);
console.log(`| mode | ${outcomes.join(' | ')} |`);
console.log(`|---|${outcomes.map(() => '---|').join('')}`);
for (const mode of Object.keys(adversarialModes)) {
  console.log(
    `| ${mode} | ${outcomes.map((outcome) => counts.get(`${mode} ${outcome}`) ?? 0).join(' | ')} |`,
  );
}
process.exit(wrong === 0 ? 0 : 1);

function count(key: string): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function isWrong({ outcome }: Attempt): boolean {
  return !['complete', 'cut', 'refused', 'withheld'].includes(outcome);
}

function describe({ template, mode, outcome, text, response }: Attempt): string {
  const { thrown, calls, content } = response;
  const shown = thrown ?? JSON.stringify({ content, calls });
  return `\n${template}, ${mode}, ${text.kind}: ${outcome}\n  ${shown.slice(0, 300)}`;
}
