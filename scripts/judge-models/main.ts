/** `npm run judge:models`: small trained models as judges, see `command-line.ts`. No user needs it. */
import fs from 'node:fs';
import { askQuestions, type Verdict } from './asking/ask-questions.ts';
import { JudgedModel } from './asking/judged-model.ts';
import { freeOf, type ModeName } from './asking/modes.ts';
import { summarise } from './asking/summary.ts';
import { printTable, type TableRow } from './asking/table.ts';
import { type JudgeCommand, readCommandLine, usage } from './command-line.ts';
import { fetchedFile, type JudgeModel, modelFolder } from './files/model-files.ts';

const contextSize = 8192;

const command = await readCommandLine(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(2);
});
if (command === null) console.log(usage);
else await judgeAll(command);
process.exit();

async function judgeAll(command: JudgeCommand): Promise<void> {
  for (const reason of command.skipped) console.log(`skipped: ${reason}`);
  const rows: TableRow[] = [];
  const all: object[] = [];
  for (const model of command.models) {
    const file = fetchedFile(model);
    if (file === null) {
      console.log(`skipped: ${model.name} is not in ${modelFolder()}; npm run judge:fetch -- ${model.name}`);
      continue;
    }
    const template = command.template?.name ?? 'own';
    for (const { set, verdicts } of await judgeModel(command, model, file)) {
      const row = { model: model.name, template, questions: set };
      rows.push(...summarise(verdicts).map((summary) => ({ ...row, ...summary })));
      all.push(...verdicts.map((verdict) => ({ ...row, ...verdict, question: verdict.question.text })));
    }
  }
  if (rows.length > 0) console.log(`\n${printTable(rows)}`);
  if (command.requireValid && rows.some(isBroken)) process.exitCode = 1;
  if (command.json !== null) fs.writeFileSync(command.json, `${JSON.stringify({ rows, all }, null, 1)}\n`);
}

/** Something was handed out that an enforced mode must not hand out. */
function isBroken({ mode, invalid, unassured, thrown }: TableRow): boolean {
  return mode !== freeOf(mode) && invalid + unassured + thrown > 0;
}

async function judgeModel(
  command: JudgeCommand,
  { name }: JudgeModel,
  file: string,
): Promise<readonly { readonly set: string; readonly verdicts: readonly Verdict[] }[]> {
  const { template, threads, sets } = command;
  const source = template === null ? {} : { chatTemplate: template.source };
  const model = await JudgedModel.open({ file, threads, contextSize, ...source });
  const modes = possibleModes(model, command.modes);
  if (modes.length < command.modes.length) {
    const left = command.modes.filter((mode) => !modes.includes(mode));
    console.log(`skipped: ${left.join(', ')} with ${name}, whose template knows no tools`);
  }
  const judged = [];
  for (const set of sets) {
    const verdicts: Verdict[] = [];
    for await (const verdict of askQuestions({ ...command, model, set, modes })) {
      verdicts.push(verdict);
      process.stderr.write(isRight(verdict) ? '.' : 'x');
      if (command.details && !isRight(verdict)) console.log(describe(verdict));
    }
    judged.push({ set: set.name, verdicts });
  }
  await model.dispose();
  return judged;
}

function possibleModes(model: JudgedModel, modes: readonly ModeName[]): readonly ModeName[] {
  if (model.format.calls !== null) return modes;
  return modes.filter((mode) => mode === 'answer' || mode === 'free-answer');
}

function isRight({ rating, invalid, question, response }: Verdict): boolean {
  const right = question.calls.length > 0 ? rating.values : rating.decision;
  return right && invalid === 0 && response.thrown === null;
}

function describe({ question, mode, response, invalid }: Verdict): string {
  const { calls, content, thrown } = response;
  const made = calls.map((call) => `${call.name}(${JSON.stringify(call.arguments)}) ${call.assurance}`);
  const shown = thrown ?? [...made, content.slice(0, 200)].filter((text) => text !== '').join('\n  ');
  return `\n${mode}${invalid > 0 ? ', invalid' : ''}: ${question.text}\n  ${shown}`;
}
