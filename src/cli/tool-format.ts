/** `--tool-format`: one of the package's tool formats by name, or a file with one of your own. */
import path from 'node:path';
import { Option } from 'commander';
import { codeOf } from '../format/error-class.ts';
import { UnsupportedOptionError } from '../format/errors.ts';
import { toolFormat } from '../template/tool-format/tool-format-option.ts';
import { toolFormats } from '../template/tool-format/wrap-template.ts';
import { readTextFile } from './read-text.ts';

const names: readonly string[] = toolFormats.map(({ name }) => name);

/** The option. */
export function toolFormatOption(): Option {
  return new Option(
    '--tool-format <format>',
    `describe tools in the prompt, for models whose template does not or that ignore it: ${names.join(', ')}, or a file with a format of your own; default: the template's own way`,
  );
}

/** The name or the source to pass on. Throws `UnsupportedOptionError` if it is neither a name nor such a file. */
export async function readToolFormat(given: string): Promise<string> {
  if (names.includes(given)) return given;
  const source = await readTextFile(given).catch((error: unknown) => ({ code: codeOf(error) }));
  if (typeof source === 'string' && toolFormat.allows(source)) return source;
  const reason =
    typeof source === 'string'
      ? `${given} must be ${toolFormat.expected}`
      : `${source.code === 'EISDIR' ? `${given} is a folder` : `there is no file ${given}`}; formats by name: ${names.join(', ')}`;
  throw new UnsupportedOptionError({ option: '--tool-format', reason });
}

/** What a format is called in names of folders and in tables: its name, or that of its file. */
export function toolFormatName(given: string): string {
  return path.basename(given, path.extname(given));
}
