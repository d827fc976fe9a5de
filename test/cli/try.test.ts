/** `idiolect try`: what is counted, what is advised, and what is kept next to the model. */
import fs from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { registerInfo } from '../../src/cli/hub/info.ts';
import { adviceFrom } from '../../src/cli/try/advice.ts';
import { trialQuestions, trialTools } from '../../src/cli/try/questions.ts';
import { type Answerer, type TrialRow, tryQuestions } from '../../src/cli/try/trial.ts';
import { registerTry } from '../../src/cli/try/try.ts';
import { compileValidator } from '../../src/json-schema/validate/validate.ts';
import { keyedChatFile } from '../support/small-chats.ts';
import { runCommand } from './run-command.ts';

function row(template: string, one: number, several: number, none: number): TrialRow {
  const of = (right: number, asked: number) => ({ right, asked });
  const scores = { one: of(one, 11), several: of(several, 4), none: of(none, 5) };
  return { template, mode: 'enforced', kept: null, ...scores, invalid: 0, seconds: 1 };
}

describe('the advice', () => {
  it.each([
    [
      [row('own', 10, 0, 4), row('json-list', 10, 4, 4)],
      /^Load it with toolFormat: 'json-list'.*18 of 20.*14 in its own/,
    ],
    [[row('own', 10, 3, 4), row('json-list', 10, 4, 4)], /^Keep its own template: 17 of 20/],
    [[row('own', 10, 4, 4), row('json-list', 9, 4, 1)], /^Keep its own template/],
    [[row('json-list', 8, 2, 5), row('tagged', 9, 3, 5)], /^Load it with toolFormat: 'tagged'/],
    [[row('json-list', 1, 0, 5)], /^Do not rely on its calls: at best, 1 of 15/],
    [[row('own', 10, 4, 1)], /it calls where no call is needed \(4 of 5\)/],
  ])('follows from the rows of the table: %#', (rows, expected) => {
    const free = rows.map((each) => ({ ...each, mode: 'free' as const, one: { right: 11, asked: 11 } }));
    expect(adviceFrom([...free, ...rows])).toMatch(expected);
  });
});

describe('the questions', () => {
  it('are twenty, of every kind', () => {
    const needed = trialQuestions.map(({ calls }) => calls.length);
    expect(needed).toHaveLength(20);
    expect([0, 1, 2].map((count) => needed.filter((each) => each === count).length)).toEqual([5, 11, 4]);
  });

  it('expect arguments that their tools declare', () => {
    for (const { name, checks } of trialQuestions.flatMap(({ calls }) => calls)) {
      const parameters = trialTools.find((tool) => tool.function.name === name)?.function.parameters;
      expect(parameters).toMatchObject({ properties: expect.any(Object) });
      const declared = Object.keys((parameters as { properties: object }).properties);
      expect(declared).toEqual(expect.arrayContaining(Object.keys(checks)));
      expect(() => compileValidator(parameters ?? true)).not.toThrow();
    }
  });
});

describe('what is counted', () => {
  const count = (answer: Answerer, mode: TrialRow['mode'] = 'free') =>
    tryQuestions({ template: 'own', mode }, answer, () => undefined);

  it('answers without calls are right where none is needed', async () => {
    const silent = await count(async () => ({ calls: [], kept: false }));
    expect(silent).toMatchObject({ one: { right: 0 }, several: { right: 0 }, none: { right: 5, asked: 5 } });
    expect(silent.kept).toEqual({ right: 0, asked: 15 });
  });

  it('a response that failed is right nowhere', async () => {
    const failed = await count(async () => null, 'enforced');
    expect([failed.one, failed.several, failed.none].map(({ right }) => right)).toEqual([0, 0, 0]);
    expect(failed.kept).toBeNull();
  });

  it('a call is right with the right values alone, and counted where it is not valid', async () => {
    const forecast =
      (days: number): Answerer =>
      async () => {
        return { calls: [{ name: 'get_weather', arguments: { city: 'Oslo', days } }], kept: true };
      };
    expect(await count(forecast(3))).toMatchObject({ one: { right: 1 }, none: { right: 0 }, invalid: 0 });
    expect(await count(forecast(14))).toMatchObject({ one: { right: 0 }, invalid: 20 });
    expect(await count(async () => ({ calls: [{ name: 'fly', arguments: {} }], kept: true }))).toMatchObject({
      invalid: 20,
    });
  });
});

it('the command tries a template in place of that of the file, and keeps nothing of it', async () => {
  const file = await keyedChatFile([{ after: 'no question', pieces: ['x'] }]);
  const template = `${file}.jinja`;
  const turn = '<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n';
  const start = '{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}';
  fs.writeFileSync(template, `{% for m in messages %}${turn}{% endfor %}${start}`);
  fs.rmSync(`${file}.tried.json`, { force: true });
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { text } = await runCommand(
    registerTry,
    ...[
      'try',
      file,
      '--template',
      template,
      '--no-gpu',
      '--threads',
      '1',
      '--tool-format',
      'json-list',
      '--json',
    ],
  ).finally(() => stderr.mockRestore());
  // Its own way knows no tools.
  expect(JSON.parse(text).rows.map((each: TrialRow) => each.template)).toEqual(['json-list', 'json-list']);
  expect(fs.existsSync(`${file}.tried.json`)).toBe(false);
});

it('the result is printed, kept next to the model, and shown by info', async () => {
  const file = await keyedChatFile([{ after: 'no question', pieces: ['x'] }]);
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const { text } = await runCommand(
    registerTry,
    ...['try', file, '--no-gpu', '--threads', '1', '--tool-format', 'json-list', '--json'],
  ).finally(() => stderr.mockRestore());
  const trial = JSON.parse(text);
  const tried = trial.rows.map((each: TrialRow) => [
    each.template,
    each.mode,
    each.none.right,
    each.one.right,
  ]);
  expect(tried).toEqual([
    ['own', 'free', 5, 0],
    ['own', 'enforced', 5, 0],
    ['json-list', 'free', 5, 0],
    ['json-list', 'enforced', 5, 0],
  ]);
  expect(JSON.parse(fs.readFileSync(`${file}.tried.json`, 'utf8'))).toEqual(trial);
  const shown = await runCommand(registerInfo, 'info', file);
  expect(shown.text).toContain(`tried: ${trial.advice}`);
  expect(shown.text).toMatch(/with --tool-format\n +json-list +JSON_NATIVE, ✓ the laws hold/);
  fs.rmSync(`${file}.tried.json`);
}, 120_000);
