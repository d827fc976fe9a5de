/** A tool format as an option; checked without the formats themselves, which few models need. */
import type { OptionRule } from '../../format/option-rules.ts';

/** The names of the tool formats of the package. */
export const toolFormatNames = ['json-list', 'tagged'] as const;

/** The macros that a tool format defines. */
export const toolFormatMacros = ['describe_tools', 'write_calls', 'write_results'] as const;

/** A tool format as an option: the name of one of the package's, or the source of one of your own. */
export type ToolFormatOption = (typeof toolFormatNames)[number] | (string & {});

/** Rejects a name that does not exist, a path, and Jinja without the macros. */
export const toolFormat: OptionRule = {
  expected: `${toolFormatNames.map((name) => JSON.stringify(name)).join(', ')}, or Jinja that defines the macros ${toolFormatMacros.join(', ')}`,
  allows: (value) =>
    typeof value === 'string' &&
    (toolFormatNames.some((name) => name === value) ||
      toolFormatMacros.every((name) => hasMacro(value, name))),
};

function hasMacro(source: string, macro: string): boolean {
  return new RegExp(`\\{%[-+]?\\s*macro\\s+${macro}\\s*\\(`).test(source);
}
