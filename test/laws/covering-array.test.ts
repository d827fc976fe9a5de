/**
 * Law: every pair of features holds. Each row combines one value of every feature of a chat, in one of many formats, over
 * one of the engines and APIs, with a model that behaves well or badly; and each pair of values is in one of the rows.
 * Whatever the model does, its response is complete and valid, or cut, or told: `oracle.ts` says what must hold.
 *
 * `ROW='…' SEED=… npx vitest run test/laws/covering-array.test.ts` repeats one row. The long form has every combination
 * of three of the features that matter most, too.
 */
import { describe, expect, it } from 'vitest';
import { Random } from '../../scripts/toy/random.ts';
import { coveringArray } from '../support/covering/covering-array.ts';
import { allows, dimensions, type Row, readRow, rowText, triples } from '../support/covering/dimensions.ts';
import { problemsOf } from '../support/covering/oracle.ts';
import { runRow } from '../support/covering/run-row.ts';

const long = process.env.LAWS === 'long';
const seed = Number(process.env.SEED);

function rowsOfThisRun(): readonly Row[] {
  if (process.env.ROW !== undefined) return [readRow(process.env.ROW)];
  return coveringArray({ dimensions, allows, random: new Random(seed), ...(long ? { triples } : {}) });
}

/** The problems of a row, with the command that repeats it and what the model wanted to write. */
async function failureOf(row: Row): Promise<string | null> {
  const outcome = await runRow(row, seed);
  const problems = problemsOf(outcome);
  if (problems.length === 0) return null;
  const command = `ROW=${JSON.stringify(rowText(row))} SEED=${seed} npx vitest run test/laws/covering-array.test.ts`;
  const wanted = `"${outcome.way}": ${JSON.stringify(outcome.script.slice(0, 400))}`;
  return [command, ...problems.map((problem) => `  ${problem}`), `  the model wants ${wanted}`].join('\n');
}

const rows = rowsOfThisRun();

describe.each([...new Set(rows.map(({ format }) => format))])('%s', (name) => {
  it('holds in every row', async () => {
    const failures: string[] = [];
    for (const row of rows.filter(({ format }) => format === name)) {
      const failure = await failureOf(row);
      if (failure !== null) failures.push(failure);
    }
    expect(failures.join('\n\n')).toBe('');
  });
});
