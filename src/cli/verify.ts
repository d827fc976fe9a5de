/** `idiolect verify`: verifies the laws on templates. */
import type { Command } from 'commander';
import pc from 'picocolors';
import { type LawName, type Verification, verifyTemplate } from '../generate/verify/verify-template.ts';
import { readModelSource } from './model-source.ts';
import { type ErrorFacts, errorFacts, isExpected } from './report-error.ts';
import { paintedText } from './terminal-text.ts';
import { toolFormatOption } from './tool-format.ts';
import { wrappedText } from './wrapped.ts';

interface VerifyOptions {
  readonly json: boolean;
  readonly verbose: boolean;
  readonly toolFormat?: string;
}

/** One line of the table. */
interface Row {
  readonly file: string;
  readonly result: Verification | { readonly error: ErrorFacts };
}

/** Adds the command. */
export function registerVerify(program: Command): void {
  program
    .command('verify')
    .argument('<files...>', 'chat templates (.jinja), models (.gguf) or models on the Hub (owner/name)')
    .option('-v, --verbose', 'show every violation with the actual and the expected text', false)
    .addOption(toolFormatOption())
    .option('--json', 'report for programs', false)
    .action(verify);
}

async function verify(files: readonly string[], options: VerifyOptions): Promise<void> {
  const rows: Row[] = [];
  for (const file of files) rows.push({ file, result: await verifyFile(file, options.toolFormat) });
  if (rows.some(({ result }) => 'error' in result || !result.holds)) process.exitCode = 1;
  if (options.json) process.stdout.write(`${JSON.stringify(rows, null, 2)}\n`);
  else process.stdout.write(paintedText(table(rows, options.verbose)));
}

/** An error is the result of this file, so that the others are still verified. */
async function verifyFile(file: string, toolFormat: string | undefined): Promise<Row['result']> {
  try {
    const {
      templateSource,
      name: _,
      origin,
      facts: _facts,
      responseReader: _reader,
      ...tokens
    } = await readModelSource(file, toolFormat);
    return verifyTemplate(templateSource, { ...tokens, name: origin });
  } catch (error) {
    if (isExpected(error)) return { error: errorFacts(error) };
    throw error;
  }
}

const laws: readonly LawName[] = [
  'exact',
  'round trip',
  'quotation',
  'any cut',
  'nothing lost',
  'complete',
  'as told',
];

/** A table if it fits, otherwise a block for each template. */
function table(rows: readonly Row[], verbose: boolean): string {
  const details = verbose ? rows.flatMap(breachLines) : [];
  const width = Math.max(...rows.map(({ file }) => file.length), 8);
  const fits = width + (laws.length + 1) * 14 <= (process.stdout.columns ?? Number.POSITIVE_INFINITY);
  const lines = fits ? wideLines(rows, width) : rows.flatMap(narrowLines);
  return `${[...lines, ...details].join('\n')}\n`;
}

function narrowLines({ file, result }: Row): string[] {
  if ('error' in result) return [pc.bold(file), `  ${wrappedText(complaint(file, result.error), 2)}`];
  const counts = `  ${'messages'.padEnd(12)}  ${result.rendered}`;
  return [pc.bold(file), counts, ...laws.map((law) => `  ${law.padEnd(12)}  ${cell(result, law, 0)}`)];
}

function wideLines(rows: readonly Row[], width: number): string[] {
  const header = `${'template'.padEnd(width)}  ${'messages'.padStart(8)}  ${laws.map((law) => law.padStart(12)).join('  ')}`;
  const lines = rows.map(({ file, result }) => {
    if ('error' in result)
      return `${file.padEnd(width)}  ${wrappedText(complaint(file, result.error), width + 2)}`;
    const cells = laws.map((law) => cell(result, law));
    return `${file.padEnd(width)}  ${String(result.rendered).padStart(8)}  ${cells.join('  ')}`;
  });
  return [pc.bold(header), ...lines];
}

/** The message without the name in front, which is already shown. */
function complaint(file: string, { message }: ErrorFacts): string {
  return pc.red(message.startsWith(`${file}: `) ? message.slice(file.length + 2) : message);
}

function cell({ breaches, rendered }: Verification, law: LawName, width = 12): string {
  const broken = breaches.filter((breach) => breach.law === law).length;
  if (rendered === 0) return pc.yellow('nothing'.padStart(width));
  return broken === 0 ? pc.green('holds'.padStart(width)) : pc.red(`${broken} broken`.padStart(width));
}

function breachLines({ file, result }: Row): string[] {
  if ('error' in result) return [];
  return result.breaches.map(
    ({ law, case: name, expected, actual }) =>
      `\n${pc.red(law)} ${pc.bold(file)}: ${name}\n  expected ${JSON.stringify(expected)}\n  came     ${JSON.stringify(actual)}`,
  );
}
