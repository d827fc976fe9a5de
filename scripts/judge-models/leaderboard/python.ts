/** The leaderboard's package: its questions and verdicts, through a Python of its own. */
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import type { Message, Tool } from '../../../src/format/messages.ts';
import { modelFolder } from '../files/model-files.ts';

/** The version that the recorded figures are of, and what it imports without saying so. */
const requirements = ['bfcl-eval==2026.3.23', 'soundfile'];

/** A question of the leaderboard. */
export interface LeaderboardQuestion {
  readonly id: string;
  readonly category: string;
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
}

/** An answer: the names of its calls, and their arguments as JSON text. */
export interface LeaderboardAnswer {
  readonly id: string;
  readonly category: string;
  readonly calls: readonly (readonly [name: string, input: string])[];
}

/** What the leaderboard says about an answer. */
export interface LeaderboardVerdict {
  readonly id: string;
  readonly right: boolean;
  readonly why: string;
}

/** The Python that has the package: `IDIOLECT_JUDGES_PYTHON`, or that of an environment next to the models. */
export function leaderboardPython(): string | null {
  const python = process.env.IDIOLECT_JUDGES_PYTHON ?? path.join(environment(), 'bin', 'python');
  return fs.existsSync(python) ? python : null;
}

/** Makes the environment, with the package; returns its Python. */
export function installLeaderboard(): string {
  const known = leaderboardPython();
  if (known !== null) return known;
  const folder = environment();
  fs.mkdirSync(path.dirname(folder), { recursive: true });
  const run = (program: string, ...args: readonly string[]) =>
    execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  run('python3', '-m', 'venv', folder);
  const python = path.join(folder, 'bin', 'python');
  run(python, '-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', ...requirements);
  return python;
}

/** Draws questions; `categories` as `simple_python=25`. */
export function drawQuestions(
  python: string,
  seed: number,
  longest: number,
  categories: readonly string[],
): readonly LeaderboardQuestion[] {
  return run(python, ['questions', String(seed), String(longest), ...categories], '');
}

/** Judges answers. */
export function judgeAnswers(
  python: string,
  answers: readonly LeaderboardAnswer[],
): readonly LeaderboardVerdict[] {
  return run(python, ['judge'], answers.map((answer) => JSON.stringify(answer)).join('\n'));
}

function environment(): string {
  return path.join(modelFolder(), 'leaderboard');
}

/** Runs the script: a JSON value a line. */
function run<Line>(python: string, args: readonly string[], input: string): readonly Line[] {
  const script = path.join(import.meta.dirname, 'leaderboard.py');
  const output = execFileSync(python, [script, ...args], {
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = output.split('\n').filter((line) => line.startsWith('{'));
  return lines.map((line): Line => JSON.parse(line));
}
