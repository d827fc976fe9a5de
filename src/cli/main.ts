#!/usr/bin/env node
/** The `idiolect` command. */
import { createRequire } from 'node:module';
import { Command, type Option } from 'commander';
import { registerChat } from './chat/chat.ts';
import { registerGenerate } from './generate/generate.ts';
import { registerInfo } from './hub/info.ts';
import { registerList } from './hub/list.ts';
import { registerPull } from './hub/pull.ts';
import { registerRemove } from './hub/remove.ts';
import { registerInspect } from './inspect.ts';
import { reportError, reportUsage } from './report-error.ts';
import { registerServe } from './serve/serve.ts';
import { registerTry } from './try/try.ts';
import { registerVerify } from './verify.ts';

/** The commands, in the order of `--help`. */
const commands = [
  registerGenerate,
  registerInspect,
  registerVerify,
  registerPull,
  registerInfo,
  registerTry,
  registerChat,
  registerServe,
  registerList,
  registerRemove,
];

function createProgram(json: boolean): Command {
  const { version } = createRequire(import.meta.url)('idiolect/package.json');
  const program = new Command('idiolect')
    .description(
      "Reads a model's chat template, learns how it writes reasoning, answers and tool calls, " +
        'and compiles that into a streaming parser and a grammar.',
    )
    .version(version)
    .showHelpAfterError(json ? false : '(--help shows the commands and options)')
    .configureHelp({ optionDescription: describeOption })
    .configureOutput({ outputError: (text, write) => write(reportUsage(text, json)) });
  for (const register of commands) register(program);
  return program;
}

/** Switches are off by default; only other options mention their default. */
function describeOption(option: Option): string {
  const hasDefault = option.defaultValue !== undefined && !option.isBoolean();
  return hasDefault ? `${option.description} (default: ${option.defaultValue})` : option.description;
}

const json = process.argv.includes('--json');
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  // The reader may stop early: `idiolect inspect model.gguf | head`.
  if (error.code === 'EPIPE') process.exit();
  process.stderr.write(reportError(error, json));
  process.exit(1);
});
// Output that is not read does not stop the work.
process.stderr.on('error', () => undefined);

try {
  await createProgram(json).parseAsync();
} catch (error) {
  process.stderr.write(reportError(error, json));
  process.exitCode = 1;
}
