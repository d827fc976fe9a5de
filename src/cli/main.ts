#!/usr/bin/env node
/** The `idiolect` command. */
import { Command } from 'commander';
import { toolVersion } from '../format/version.ts';
import { addCommand, announceCommand, commands } from './commands.ts';
import { helpConfiguration } from './help.ts';
import { flagsOf, reportError, reportUsage } from './report-error.ts';

/** The program with one command loaded: the one that `words` call. */
async function createProgram(words: readonly string[], json: boolean): Promise<Command> {
  const program = new Command('idiolect')
    .description(
      "Reads a model's chat template, learns how it writes reasoning, answers and tool calls, " +
        'and compiles that into a streaming parser and a grammar.',
    )
    .version(toolVersion, '-v, --version')
    // So that a command may have an option of the same letter.
    .enablePositionalOptions()
    .showHelpAfterError(json ? false : '(--help shows the commands and options)')
    .configureHelp(helpConfiguration)
    .configureOutput({ outputError: (text, write) => write(reportUsage(text, json)) });
  const named = words.filter((word) => !word.startsWith('-'));
  const called = named[0] === 'help' ? named[1] : named[0];
  for (const entry of commands) {
    if (called !== undefined && [entry.name, entry.alias].includes(called)) await addCommand(program, entry);
    else announceCommand(program, entry);
  }
  return program;
}

/** `help` with the name of no command, which is then reported as when it is called. */
function isHelpOfNothing([first, name]: readonly string[]): boolean {
  const names = commands.flatMap((entry) => [entry.name, entry.alias, 'help']);
  return first === 'help' && name !== undefined && !name.startsWith('-') && !names.includes(name);
}

// `-V` is what commander's programs take.
const given = process.argv.slice(2).map((word, index) => (index === 0 && word === '-V' ? '-v' : word));
const words = isHelpOfNothing(given) ? given.slice(1) : given;
const json = words.includes('--json');
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader may stop early: `idiolect inspect model.gguf | head`.
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(reportError(error, json));
  process.exit(1);
});
// Output that is not read does not stop the work.
process.stderr.on('error', () => undefined);

const program = await createProgram(words, json);
try {
  await program.parseAsync(words, { from: 'user' });
} catch (error) {
  process.stderr.write(reportError(error, json, flagsOf(program.commands)));
  process.exitCode = 1;
}
