/** A trial, for people. */
import pc from 'picocolors';
import type { Score, TrialRow } from './trial.ts';

const columns: readonly (readonly [head: string, cell: (row: TrialRow) => string])[] = [
  ['template', ({ template }) => template],
  ['mode', ({ mode }) => mode],
  ['keeps to it', ({ kept }) => (kept === null ? '' : part(kept))],
  ['one call', ({ one }) => part(one)],
  ['several', ({ several }) => part(several)],
  ['none', ({ none }) => part(none)],
  ['invalid', ({ invalid }) => String(invalid)],
  ['seconds', ({ seconds }) => seconds.toFixed(0)],
];

function part({ right, asked }: Score): string {
  return `${right}/${asked}`;
}

/** A row for each template and mode. */
export function trialTable(rows: readonly TrialRow[]): string {
  const cells = [columns.map(([head]) => head), ...rows.map((row) => columns.map(([, cell]) => cell(row)))];
  const widths = columns.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  const lines = cells.map((line) =>
    line
      .map((cell, index) => (index < 2 ? cell.padEnd(widths[index] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join('  '),
  );
  const [head = '', ...body] = lines;
  return `${[pc.bold(head), ...body].join('\n')}\n`;
}
