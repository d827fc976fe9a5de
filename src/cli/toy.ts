/** `idiolect toy`: writes the toy model of `idiolect/testing` to a file. */
import fs from 'node:fs/promises';
import { type Command, Option } from 'commander';
import pc from 'picocolors';
import { codeOf } from '../format/error-class.ts';
import { UnsupportedOptionError } from '../format/errors.ts';
import type { ToyFormat } from '../testing/toy/templates.ts';
import { quoteWord } from './command-words.ts';
import { addHelpBelow } from './help.ts';
import { readBytes } from './read-text.ts';
import { terminalText } from './terminal-text.ts';

interface ToyOptions {
  readonly format: ToyFormat;
  readonly force: boolean;
  readonly json: boolean;
}

/** Adds the command. */
export function registerToy(program: Command): void {
  const command = program
    .command('toy')
    .argument('[file]', 'where to write it', 'toy.gguf')
    .addOption(
      new Option(
        '--format <name>',
        'how it writes calls: json (in tags, as JSON), tags (a tag for every argument), channels (one call a turn)',
      )
        .choices(['json', 'tags', 'channels'])
        .default('json'),
    )
    .option('-f, --force', 'replace a file that is something else', false)
    .option('--json', 'report for programs', false)
    .action(writeToy);
  addHelpBelow(command, usage);
}

const usage =
  'It knows twelve tools, such as get_weather, calculate, set_timer and send_message, in English. It is for trying things and for tests: it copies from questions and results, and knows nothing else.';

async function writeToy(file: string, { format, force, json }: ToyOptions): Promise<void> {
  const { toyModel } = await import('../testing/index.ts');
  const bytes = await toyModel(format);
  const there = await contentOf(file);
  if (there !== null && !force && !there.equals(bytes)) {
    const reason = `${file} exists and is something else; take another name, or replace it with --force`;
    throw new UnsupportedOptionError({ option: 'file', reason });
  }
  await fs.writeFile(file, bytes);
  const report = { type: 'toy_model', file, format, size: bytes.length };
  process.stdout.write(json ? `${JSON.stringify(report)}\n` : `${pc.green('✓')} ${terminalText(file)}\n`);
  if (json) return;
  const talk = `talk to it: idiolect chat ${terminalText(quoteWord(file))}`;
  process.stderr.write(
    pc.dim(
      `${talk} ("What time is it in Zurich?", "What is 12 * 30?"; it knows little more than how calls are written)\n`,
    ),
  );
}

async function contentOf(file: string): Promise<Buffer | null> {
  return readBytes(file).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
}
