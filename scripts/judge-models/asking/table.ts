/** Prints summaries as a table of Markdown. */
import type { SummaryRow } from './summary.ts';

/** A row with what it is about. */
export interface TableRow extends SummaryRow {
  readonly model: string;
  readonly template: string;
  readonly questions: string;
}

const columns: readonly (readonly [head: string, cell: (row: TableRow) => string])[] = [
  ['model, template', ({ model, template }) => `${model}, ${template}`],
  ['questions', ({ questions }) => questions],
  ['mode', ({ mode }) => mode],
  ['asked', ({ asked }) => `${asked}`],
  ['called', ({ called, expecting }) => part(called, expecting)],
  ['right tool', ({ rightTool, expecting }) => part(rightTool, expecting)],
  ['right values', ({ rightValues, expecting }) => part(rightValues, expecting)],
  ['none right', ({ plainRight, plain }) => part(plainRight, plain)],
  ['made wrong, right', ({ madeWrong, madeRight }) => `${madeWrong}, ${madeRight}`],
  ['invalid', ({ invalid }) => `${invalid}`],
  ['neither enforced nor validated', ({ unassured }) => `${unassured}`],
  ['cut', ({ cut }) => `${cut}`],
  ['thrown', ({ thrown }) => `${thrown}`],
  ['seconds', ({ milliseconds }) => (milliseconds / 1000).toFixed(1)],
  [
    'same text, of free',
    ({ ratio, compared }) => (ratio === null ? '–' : `${ratio.toFixed(2)} (${compared})`),
  ],
];

/** The table. */
export function printTable(rows: readonly TableRow[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(([head]) => head)),
    `|${'---|'.repeat(columns.length)}`,
    ...rows.map((row) => line(columns.map(([, cell]) => cell(row)))),
  ].join('\n');
}

function part(count: number, whole: number): string {
  return whole === 0 ? '–' : `${count}/${whole}`;
}
