/** `idiolect completion`: scripts that complete commands and options in a shell. */
import { Argument, type Command } from 'commander';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];

/** Adds the command. `load`: all commands with their options. */
export function registerCompletion(program: Command, load: () => Promise<readonly Command[]>): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
    .addHelpText('after', `\n${usage}`)
    .action(async (shell: Shell) => {
      process.stdout.write(writers[shell]((await load()).map(wordsOf)));
    });
}

const usage = `Add to ~/.bashrc:  source <(idiolect completion bash)
Add to ~/.zshrc:   source <(idiolect completion zsh)
For fish:
  idiolect completion fish > ~/.config/fish/completions/idiolect.fish`;

/** What may be completed after the name of a command. */
interface CommandWords {
  readonly names: readonly string[];
  readonly description: string;
  readonly options: readonly OptionWords[];
  /** What its argument may be; empty for other values, or none. */
  readonly choices: readonly string[];
}

interface OptionWords {
  readonly long: string;
  readonly description: string;
  /** What the option takes; empty for other values, or none. */
  readonly choices: readonly string[];
}

function wordsOf(command: Command): CommandWords {
  const options = command.options.map(({ long, description, argChoices = [] }) => ({
    long: long ?? '',
    description: description.split(/[;:(]/, 1)[0]?.trim() ?? '',
    choices: argChoices,
  }));
  const choices = command.registeredArguments[0]?.argChoices ?? [];
  return {
    names: [command.name(), ...command.aliases()],
    description: command.description(),
    options,
    choices,
  };
}

/** No option of ours takes a word that a shell would read as anything else. */
function bash(words: readonly CommandWords[]): string {
  const cases = words.map(({ names, options }) => {
    const longs = [...options.map(({ long }) => long), '--help'].join(' ');
    return `    ${names.join('|')}) words="${longs}" ;;`;
  });
  const choices = words.flatMap((command) =>
    // The argument follows the name of its command.
    command.names.flatMap((name) =>
      [...command.options, { long: name, choices: command.choices }]
        .filter((option) => option.choices.length > 0)
        .map((option) => `    ${name}:${option.long}) words="${option.choices.join(' ')}" ;;`),
    ),
  );
  return `_idiolect() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" command="\${COMP_WORDS[1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${words.flatMap(({ names }) => names).join(' ')} --help --version" -- "$word"))
    return
  fi
  case "$command:$before" in
${choices.join('\n')}
  esac
  if [ -n "$words" ]; then COMPREPLY=($(compgen -W "$words" -- "$word")); return; fi
  case "$word" in -*) ;; *) return ;; esac
  case "$command" in
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _idiolect idiolect
`;
}

/** zsh reads scripts for bash. */
function zsh(words: readonly CommandWords[]): string {
  return `autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n${bash(words)}`;
}

function fish(words: readonly CommandWords[]): string {
  const lines = words.flatMap(({ names, description, options, choices: values }) => [
    ...names.map(
      (name) => `complete -c idiolect -n __fish_use_subcommand -a ${name} -d ${quoted(description)}`,
    ),
    ...names
      .filter(() => values.length > 0)
      .map(
        (name) =>
          `complete -c idiolect -n '__fish_seen_subcommand_from ${name}' -x -a ${quoted(values.join(' '))}`,
      ),
    ...options.map(({ long, description: what, choices }) => {
      const takes = choices.length === 0 ? '' : ` -x -a ${quoted(choices.join(' '))}`;
      const seen = `'__fish_seen_subcommand_from ${names.join(' ')}'`;
      return `complete -c idiolect -n ${seen} -l ${long.replace(/^--/, '')}${takes} -d ${quoted(what)}`;
    }),
  ]);
  return `${lines.join('\n')}\n`;
}

function quoted(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

const writers: Readonly<Record<Shell, (words: readonly CommandWords[]) => string>> = { bash, zsh, fish };
