/** How the help of commands looks: it keeps to the width of the terminal. */
import { type Command, Help, type HelpConfiguration, type Option } from 'commander';

/** Descriptions are wrapped wherever they have this much room: commander's own limit leaves them to the terminal. */
const minWidthToWrap = 16;

/** Without a terminal. */
const usualWidth = 80;

/** For `configureHelp`; commands have it from their program. */
export const helpConfiguration: HelpConfiguration = {
  minWidthToWrap,
  optionDescription: describeOption,
  subcommandTerm: nameOf,
};

/** Adds a paragraph below the help of a command. */
export function addHelpBelow(command: Command, text: string): Command {
  return command.addHelpText('after', () => {
    const { getOutHelpWidth } = command.configureOutput();
    const help = Object.assign(new Help(), { minWidthToWrap });
    return `\n${help.boxWrap(text, getOutHelpWidth?.() ?? usualWidth)}`;
  });
}

/** Commands are listed by name: their arguments are not known before they are loaded. */
function nameOf(command: Command): string {
  return [command.name(), ...command.aliases()].join(', ');
}

/** Switches are off by default; only other options mention their default. */
function describeOption(option: Option): string {
  const hasDefault = option.defaultValue !== undefined && !option.isBoolean();
  return hasDefault ? `${option.description} (default: ${option.defaultValue})` : option.description;
}
