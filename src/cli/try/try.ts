/** `idiolect try`: how a model calls tools, in its own template and in tool formats. */
import fs from 'node:fs/promises';
import type { Command } from 'commander';
import pc from 'picocolors';
import { analyzeTemplate } from '../../analysis/analyze-template.ts';
import { ModelFileError } from '../../format/errors.ts';
import { withoutUndefined } from '../../format/option-rules.ts';
import { obtainModel, readGgufHeader } from '../../hub/index.ts';
import { trialFile } from '../../hub/local-file.ts';
import { toolFormats } from '../../template/tool-format/wrap-template.ts';
import { createPullView } from '../hub/pull-view.ts';
import { type ModelSource, readModelSource, tokensOf } from '../model-source.ts';
import { importEngine } from '../model-target.ts';
import { wholeNumber } from '../option-values.ts';
import { paintedText, terminalText } from '../terminal-text.ts';
import { toolFormatName } from '../tool-format.ts';
import { adviceFrom } from './advice.ts';
import { trialQuestions } from './questions.ts';
import { type Trial, trialOf } from './stored-trial.ts';
import {
  type Answerer,
  enforced,
  freely,
  type Score,
  type TrialRow,
  type TriedTemplate,
  tryQuestions,
} from './trial.ts';

interface TryOptions {
  readonly template?: string;
  readonly toolFormat?: readonly string[];
  readonly threads?: number;
  readonly gpu: boolean;
  readonly save: boolean;
  readonly json: boolean;
}

/** Adds the command. */
export function registerTry(program: Command): void {
  program
    .command('try')
    .argument('<model>', 'a GGUF file, or a model on the Hub (owner/name, owner/name:Q5_K_M)')
    .option(
      '--template <file>',
      'a chat template to try: a .jinja file or tokenizer_config.json; default: that of the file',
    )
    .option(
      '--tool-format <format...>',
      `tool formats to try next to the model's own template: ${toolFormats.map(({ name }) => name).join(', ')}, or files; default: all by name`,
    )
    .option(
      '--threads <number>',
      'compute threads; default: the physical cores, within what this machine gives; 1 for small models',
      wholeNumber,
    )
    .option('--no-gpu', 'use no GPU')
    .option('--no-save', 'do not keep the result next to the model, where `idiolect info` finds it')
    .option('--json', 'for programs', false)
    .action(tryModel);
}

async function tryModel(model: string, options: TryOptions): Promise<void> {
  await importEngine('idiolect try');
  const view = createPullView();
  const { file, card } = await obtainModel(model, { requireTools: false, onEvent: view.show }).finally(
    view.stop,
  );
  const tried = await templatesToTry(file, options);
  const rows = await tryAll(file, tried, options);
  const trial = trialOf({
    model,
    template_sha256: card.template?.sha256 ?? '',
    rows,
    advice: adviceFrom(rows),
  });
  process.stdout.write(
    options.json
      ? `${JSON.stringify(trial, null, 2)}\n`
      : paintedText(`${trialTable(rows)}\n${trial.advice}\n`),
  );
  // What is kept is about the model with its own template.
  if (options.save && options.template === undefined) await keep(trial, file);
}

/** The own template, or the one in its place, if it knows tools, and the tool formats. */
async function templatesToTry(
  file: string,
  { template, toolFormat = toolFormats.map(({ name }) => name) }: TryOptions,
): Promise<readonly TriedTemplate[]> {
  const tokens = template === undefined ? {} : tokensOf(await readGgufHeader(file));
  const all: TriedTemplate[] = [];
  for (const format of [undefined, ...toolFormat]) {
    const source = { ...(await readModelSource(template ?? file, format)), ...tokens };
    all.push(triedTemplate(format === undefined ? 'own' : toolFormatName(format), source));
  }
  const able = all.filter(({ format }) => format.capabilities.supportsTools && format.calls !== null);
  if (able.length > 0) return able;
  throw new ModelFileError({
    file,
    reason: 'no way of calling tools can be read from its template',
  });
}

function triedTemplate(
  name: string,
  { templateSource, origin, name: _, facts, responseReader: _reader, ...specialTokens }: ModelSource,
): TriedTemplate {
  const { format } = analyzeTemplate(templateSource, { ...specialTokens, ...facts, name: origin });
  return { name, templateSource, format, specialTokens };
}

/** Tools and a question need a few hundred tokens. */
const contextSize = 2048;

/** First everything without a grammar, then everything with one, so that the model is in memory only once. */
async function tryAll(
  file: string,
  tried: readonly TriedTemplate[],
  options: TryOptions,
): Promise<readonly TrialRow[]> {
  const { loadModel } = await importEngine('idiolect try');
  const { openPlainEngine } = await import('../../runtime/node-llama-cpp/plain-engine.ts');
  const gpu = options.gpu ? 'auto' : false;
  const given = { contextSize, gpu, ...withoutUndefined({ threads: options.threads }) } as const;
  const engine = await openPlainEngine(file, given);
  const free: TrialRow[] = [];
  for (const each of tried) free.push(await tryOne(each, 'free', freely(engine, each)));
  await engine.dispose();
  const rows: TrialRow[] = [];
  for (const [index, each] of tried.entries()) {
    const model = await loadModel(file, { ...given, chatTemplate: each.templateSource });
    rows.push(...free.slice(index, index + 1), await tryOne(each, 'enforced', enforced(model)));
    await model.dispose();
  }
  return rows;
}

async function tryOne({ name }: TriedTemplate, mode: TrialRow['mode'], answer: Answerer): Promise<TrialRow> {
  const label = `${name}, ${mode}`;
  const { isTTY } = process.stderr;
  const show = (count: number) => {
    if (isTTY)
      process.stderr.write(`\r${terminalText(label)}  ${pc.dim(`${count} of ${trialQuestions.length}`)} `);
  };
  show(0);
  const row = await tryQuestions({ template: name, mode }, answer, show);
  process.stderr.write(isTTY ? '\r\u001B[K' : `${terminalText(label)}  ${row.seconds} s\n`);
  return row;
}

/** A folder that cannot be written is no reason to fail: the result was printed. */
async function keep(trial: Trial, file: string): Promise<void> {
  const place = trialFile(file);
  try {
    await fs.writeFile(place, `${JSON.stringify(trial, null, 2)}\n`);
    process.stderr.write(pc.dim(`kept in ${terminalText(place)}\n`));
  } catch (error) {
    process.stderr.write(`${pc.yellow('!')} not kept: ${terminalText(String(error))}\n`);
  }
}

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
function trialTable(rows: readonly TrialRow[]): string {
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
