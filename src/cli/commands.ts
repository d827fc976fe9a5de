/** The commands, in the order of `--help`. Each is loaded when it is called, so that `--help` loads none. */
import { Command } from 'commander';

/** A command before it is loaded. */
interface CommandEntry {
  readonly name: string;
  readonly alias?: string;
  readonly description: string;
  /** The function that adds the command, with its arguments and options, to a program. */
  readonly load: () => Promise<(program: Command) => void>;
}

/** All of them. */
export const commands: readonly CommandEntry[] = [
  {
    name: 'generate',
    description: 'write the parser module and the grammars of chat templates or models',
    load: async () => (await import('./generate/generate.ts')).registerGenerate,
  },
  {
    name: 'inspect',
    description: 'show what a chat template says about its model, field by field, with the evidence',
    load: async () => (await import('./inspect.ts')).registerInspect,
  },
  {
    name: 'verify',
    description: 'test the laws on chat templates; exits with 1 if one is broken',
    load: async () => (await import('./verify.ts')).registerVerify,
  },
  {
    name: 'pull',
    description: 'download a model from the Hub once its header shows that it can call tools',
    load: async () => (await import('./hub/pull.ts')).registerPull,
  },
  {
    name: 'info',
    description: 'show what a model is and whether it can call tools, without downloading it',
    load: async () => (await import('./hub/info.ts')).registerInfo,
  },
  {
    name: 'try',
    description: 'ask a model twenty small questions with tools, to see which way of calling it keeps to',
    load: async () => (await import('./try/try.ts')).registerTry,
  },
  {
    name: 'chat',
    description: 'talk to a model in the terminal; it can call a clock, a calculator and dice',
    load: async () => (await import('./chat/chat.ts')).registerChat,
  },
  {
    name: 'serve',
    description: 'serve models through an OpenAI-compatible HTTP API; their tool calls fit the schemas',
    load: async () => (await import('./serve/serve.ts')).registerServe,
  },
  {
    name: 'toy',
    description: 'write a toy model of two megabytes that calls tools, to try things offline',
    load: async () => (await import('./toy.ts')).registerToy,
  },
  {
    name: 'list',
    alias: 'ls',
    description: 'list the models in the cache',
    load: async () => (await import('./hub/list.ts')).registerList,
  },
  {
    name: 'remove',
    alias: 'rm',
    description: 'remove models from the cache; without a quantisation, all of that name',
    load: async () => (await import('./hub/remove.ts')).registerRemove,
  },
  {
    name: 'completion',
    description: 'print a script that completes commands and options in bash, zsh or fish',
    load: async () => {
      const { registerCompletion } = await import('./completion.ts');
      return (program) => registerCompletion(program, loadAll);
    },
  },
];

/** All commands with their options. */
export async function loadAll(): Promise<readonly Command[]> {
  const program = new Command();
  return Promise.all(commands.map((entry) => addCommand(program, entry)));
}

/** Adds a command with its options. Returns it. */
export async function addCommand(program: Command, entry: CommandEntry): Promise<Command> {
  (await entry.load())(program);
  const command = program.commands.find((each) => each.name() === entry.name);
  if (command === undefined) throw new TypeError(`${entry.name} was not added under its name`);
  return describe(command, entry);
}

/** Adds a command's name and description, which is all that `--help` and "Did you mean" need. */
export function announceCommand(program: Command, entry: CommandEntry): void {
  describe(program.command(entry.name), entry);
}

function describe(command: Command, { alias, description }: CommandEntry): Command {
  if (alias !== undefined) command.alias(alias);
  return command.description(description);
}
