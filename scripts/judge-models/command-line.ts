/** What `npm run judge:models` was asked for. */
import fs from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { QuestionSet } from '../../src/cli/try/question.ts';
import { type ModeName, modeNames } from './asking/modes.ts';
import { type JudgeModel, judgeModels } from './files/model-files.ts';
import { beyondQuestions, ownQuestions } from './questions/asked.ts';
import { drawQuestions } from './questions/drawn.ts';
import { outsideFolder, outsideQuestions } from './questions/outside.ts';

/** How the command is used. */
export const usage = `Asks small trained models in every mode, free next to enforced with the same prompt.

  npm run judge:fetch -- qwen2.5-coder-0.5b          fetches a model first (npm run judge:fetch: the two small ones)
  npm run judge:models                               every fetched model, own and drawn questions, free and auto
  npm run judge:models -- --model qwen2.5-coder-0.5b --mode free,auto,required,named,free-answer,answer
  npm run judge:models -- --questions beyond --first 1 --samples 16 --temperature 1 --mode auto

  --model NAMES        ${judgeModels.map(({ name }) => name).join(', ')}
  --mode NAMES         ${modeNames.join(', ')}
  --questions NAMES    own (30), drawn (30, by --seed), outside (questions.mjs in IDIOLECT_MODELS), beyond (requests
                       that no valid call can fulfil)
  --first N            only the first N questions of each set
  --only TEXT          only questions whose id or text contains it
  --template FILE      a chat template in place of the model's own, also by its name in IDIOLECT_MODELS
  --samples N          each question N times, with seeds 1 to N; for --temperature above 0
  --temperature T      default 0
  --max-tokens N       default 300
  --threads N          default 1
  --seed N             of the drawn questions; default 1
  --json FILE          writes every response, with its verdict
  --details            prints every response that is not right
  --require-valid      fails if an enforced mode hands out anything invalid or unchecked, or throws

Models lie in IDIOLECT_JUDGES (default: the user's cache). Questions and templates from elsewhere lie in
IDIOLECT_MODELS (default: ../shared/models next to the repository). What is not there is skipped, and named.
`;

const options = {
  model: { type: 'string' },
  mode: { type: 'string', default: 'free,auto' },
  questions: { type: 'string', default: 'own,drawn,outside' },
  first: { type: 'string' },
  only: { type: 'string', default: '' },
  template: { type: 'string' },
  samples: { type: 'string', default: '1' },
  temperature: { type: 'string', default: '0' },
  'max-tokens': { type: 'string', default: '300' },
  threads: { type: 'string', default: '1' },
  seed: { type: 'string', default: '1' },
  json: { type: 'string' },
  details: { type: 'boolean', default: false },
  'require-valid': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

/** What was asked for. */
export interface JudgeCommand {
  readonly models: readonly JudgeModel[];
  readonly modes: readonly ModeName[];
  readonly sets: readonly QuestionSet[];
  /** The template's name and source; `null` for the file's own. */
  readonly template: { readonly name: string; readonly source: string } | null;
  readonly samples: number;
  readonly temperature: number;
  readonly maxTokens: number;
  readonly threads: number;
  readonly json: string | null;
  readonly details: boolean;
  readonly requireValid: boolean;
  /** What was asked for and is not there. */
  readonly skipped: readonly string[];
}

/** Reads the arguments; `null` if help was asked for. Throws `RangeError` for what does not exist. */
export async function readCommandLine(args: readonly string[]): Promise<JudgeCommand | null> {
  const { values } = parseArgs({ args: [...args], options });
  if (values.help) return null;
  const skipped: string[] = [];
  const sets = await Promise.all(
    list(values.questions).map((name) => questionSet(name, Number(values.seed), skipped)),
  );
  const first = Number(values.first ?? Number.POSITIVE_INFINITY);
  return {
    models: named(values.model === undefined ? [] : list(values.model), judgeModels),
    modes: list(values.mode).map(modeOf),
    sets: sets.filter((set) => set !== null).map((set) => part(set, first, values.only)),
    template: values.template === undefined ? null : readTemplate(values.template),
    samples: Number(values.samples),
    temperature: Number(values.temperature),
    maxTokens: Number(values['max-tokens']),
    threads: Number(values.threads),
    json: values.json ?? null,
    details: values.details,
    requireValid: values['require-valid'],
    skipped,
  };
}

function list(text: string): readonly string[] {
  return text.split(',').filter((name) => name !== '');
}

function named(names: readonly string[], known: readonly JudgeModel[]): readonly JudgeModel[] {
  if (names.length === 0) return known;
  return names.map((name) => {
    const model = known.find((each) => each.name === name);
    if (model === undefined) throw new RangeError(`no model is called ${name}`);
    return model;
  });
}

function modeOf(name: string): ModeName {
  const mode = modeNames.find((each) => each === name);
  if (mode === undefined) throw new RangeError(`no mode is called ${name}`);
  return mode;
}

async function questionSet(name: string, seed: number, skipped: string[]): Promise<QuestionSet | null> {
  if (name === 'own') return ownQuestions;
  if (name === 'drawn') return drawQuestions(seed);
  if (name === 'beyond') return beyondQuestions;
  if (name !== 'outside') throw new RangeError(`no questions are called ${name}`);
  const set = await outsideQuestions();
  if (set === null) skipped.push(`questions from elsewhere: no questions.mjs in ${outsideFolder()}`);
  return set;
}

function part({ questions, ...set }: QuestionSet, first: number, only: string): QuestionSet {
  const chosen = questions.filter(({ id, text }) => id.includes(only) || text.includes(only));
  return { ...set, questions: chosen.slice(0, first) };
}

function readTemplate(given: string): { readonly name: string; readonly source: string } {
  const candidates = [given, path.join(outsideFolder(), given), path.join(outsideFolder(), `${given}.jinja`)];
  const file = candidates.find((each) => fs.existsSync(each));
  if (file === undefined)
    throw new RangeError(`no template is called ${given}, here or in ${outsideFolder()}`);
  return { name: path.basename(file, '.jinja'), source: fs.readFileSync(file, 'utf8') };
}
