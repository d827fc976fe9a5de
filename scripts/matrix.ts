/**
 * `npm run matrix`: tries every mode with every state of thinking over ten formats, and writes
 * docs/matrix.md. Ends with 1 when a promise was broken.
 */
import fs from 'node:fs';
import {
  type CellOutcome,
  cells,
  matrixTemplates,
  modes,
  openMatrixModel,
  thinkingStates,
  tryCell,
} from '../test/support/mode-matrix.ts';

const signs = { holds: '✓', refused: '–', broken: '✗' } as const;
const rows: string[] = [];
const notes = new Set<string>();
const count = { holds: 0, refused: 0, broken: 0 };

for (const name of matrixTemplates) {
  const model = await openMatrixModel(name);
  const outcomes: CellOutcome[] = [];
  for (const cell of cells) {
    const result = await tryCell(model, cell, 1);
    outcomes.push(result);
    count[result.outcome] += 1;
    if (result.outcome === 'refused') notes.add(`${name}, thinking ${cell.thinking}: ${result.reason}`);
    if (result.outcome === 'broken') console.error(`${name} ${JSON.stringify(cell)}: ${result.reason}`);
  }
  await model.dispose();
  thinkingStates.forEach((state, index) => {
    const width = 2 * modes.length;
    const line = outcomes.slice(index * width, (index + 1) * width).map(({ outcome }) => signs[outcome]);
    rows.push(`| ${name} | ${state} | ${line.join(' | ')} |`);
  });
  console.log(name, JSON.stringify(count));
}

const columns = modes.flatMap((mode) => [mode, `${mode}, one`]);
fs.writeFileSync(
  new URL('../docs/matrix.md', import.meta.url),
  `# Modes and thinking

Which modes of a chat keep their promise in which state of thinking. Written by \`npm run matrix\`.

Ten formats, each on a model of a few megabytes with random weights. At temperature 1 these try to break what \`required\`, a named tool, \`none\` and a response schema promise; under \`auto\`, two calls are written with random token boundaries. "One" is \`parallelToolCalls: false\`. Thinking is asked for (on), declined (off), begun in a message that is continued (forced open), ended there with the answer begun (closed), or limited (budget).

| sign | meaning |
|---|---|
| ✓ | the promise was kept: every call parses and fits its schema, and there is no other text |
| – | refused with a typed error before the first token, or a state that the template has no way to be in ([why](#refused)) |
| ✗ | broken |

Bytes that are not UTF-8 count as llama.cpp counts them: a run of them is one character of a \`maxLength\`, and more when decoded.

${count.holds} hold, ${count.refused} are refused, ${count.broken} are broken.

| format | thinking | ${columns.join(' | ')} |
|---|---|${columns.map(() => '---|').join('')}
${rows.join('\n')}

## Refused

${[...notes].map((note) => `- ${note}`).join('\n')}
`,
);
process.exitCode = count.broken === 0 ? 0 : 1;
