/**
 * Law: what is as large as a limit is within it, and what is one larger is not. Every limit of the sources has a row here,
 * or a test of its own that states both sides.
 */
import { describe, expect, it } from 'vitest';
import { elsewhere } from './other-limits.ts';
import { answerRows } from './rows/answers.ts';
import { attemptRows } from './rows/attempts.ts';
import { chatRows } from './rows/chats.ts';
import { compiledRows } from './rows/compiled.ts';
import { fileRows } from './rows/files.ts';
import { grammarRows } from './rows/grammars.ts';
import { inferredRows } from './rows/inferred.ts';
import { keptRows } from './rows/kept.ts';
import { languageRows } from './rows/languages.ts';
import { optionRows } from './rows/options.ts';
import { readingRows } from './rows/readings.ts';
import { requestRows } from './rows/requests.ts';
import { schemaRows } from './rows/schemas.ts';
import { templateRows } from './rows/templates.ts';
import { writtenRows } from './rows/written.ts';
import { limits } from './source-limits.ts';

const rows = {
  ...templateRows,
  ...optionRows,
  ...requestRows,
  ...fileRows,
  ...answerRows,
  ...writtenRows,
  ...languageRows,
  ...readingRows,
  ...grammarRows,
  ...chatRows,
  ...schemaRows,
  ...keptRows,
  ...compiledRows,
  ...inferredRows,
  ...attemptRows,
};

describe('what is as large as a limit is within it, and what is one larger is not', () => {
  it.each(Object.entries(rows))('%s', async (name, isWithin) => {
    const limit = limits.get(name);
    if (limit === undefined || limit === null) throw new TypeError(`${name} is no limit of the sources`);
    const within: boolean[] = [];
    for (const size of [limit - 1, limit, limit + 1]) within.push(await isWithin(size));
    expect(within).toEqual([true, true, false]);
  });
});

describe('the limits of the sources', () => {
  it('have a row, or a test elsewhere', () => {
    const known = [...Object.keys(rows), ...Object.keys(elsewhere)];
    expect(known.filter((name, at) => known.indexOf(name) !== at)).toEqual([]);
    expect([...known].sort()).toEqual([...limits.keys()].sort());
  });
});
