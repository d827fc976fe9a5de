/** The table of laws: each has an example that it reads, is off where the table says so, and stands on the page. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { emitNotations } from '../../scripts/generate/emit-notations.ts';
import { laws } from '../../src/parser/leniency/law-table.ts';
import { exampleTools, lawExamples, leniencyPage, readExample } from '../support/leniency-page.ts';

const root = path.join(import.meta.dirname, '../..');

it('the page of leniency has an example of every law', () => {
  expect(lawExamples.map(({ law }) => law)).toEqual(Object.keys(laws));
});

describe.each(lawExamples)('$law', (example) => {
  const { law } = example;
  const lawsOf = (message: ReturnType<typeof readExample>) =>
    (message.repaired ?? []).map((each) => each.law);

  it('reads its example, and says so', () => {
    expect(lawsOf(readExample(example))).toContain(law);
  });

  it('applies to strict parsers only where the table says so', () => {
    expect(lawsOf(readExample(example, { leniency: 'strict' })).includes(law)).toBe(laws[law].strict);
  });

  it.runIf(laws[law].tools === 'offered')('needs the name of a tool on offer', () => {
    const tools = exampleTools.map((tool) => ({
      ...tool,
      function: { ...tool.function, name: `other_${tool.function.name}` },
    }));
    expect(lawsOf(readExample(example, { tools }))).not.toContain(law);
  });
});

it('docs/leniency-examples.md shows them: npm run leniency', () => {
  const page = fs.readFileSync(path.join(root, 'docs/leniency-examples.md'), 'utf8');
  expect(leniencyPage(page)).toBe(page);
});

it('the parsers of other notations are written from their table: npm run generate', () => {
  const file = path.join(root, 'src/parser/notations/notation-parsers.ts');
  expect(fs.readFileSync(file, 'utf8')).toBe(emitNotations());
});
