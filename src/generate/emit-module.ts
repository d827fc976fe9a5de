/** Writes the files of a generated folder other than the grammars. */

import type { AnalysisWarning } from '../analysis/evidence.ts';
import { generatedBanner } from '../codegen/banner.ts';
import { emitParserModule } from '../codegen/emit-parser-module.ts';
import { lowerToStates } from '../codegen/lower-to-states.ts';
import { printValue } from '../codegen/source-writer.ts';
import type { ChatFormat } from '../format/chat-format.ts';

/** Source text of the files, by name. */
interface EmittedModule {
  /** The format as data. */
  readonly 'format.json': string;
  /** The streaming parser. */
  readonly 'parser.ts': string;
  /** The import of applications: the module with its format. */
  readonly 'index.ts': string;
}

/**
 * The extension of imports between generated files: `js`, as tsc, tsx and bundlers resolve it, or `ts` for runtimes
 * that execute TypeScript (Node with type stripping, Deno, Bun).
 */
export type ImportExtension = 'js' | 'ts';

/** The files of a format's generated folder. Deterministic, and formatted like the project. */
export function emitModule(
  format: ChatFormat,
  extension: ImportExtension = 'js',
  warnings: readonly AnalysisWarning[] = [],
): EmittedModule {
  return {
    'format.json': `${JSON.stringify(format, null, 2)}\n`,
    'parser.ts': emitParserModule(lowerToStates(format)),
    'index.ts': emitIndex(extension, warnings),
  };
}

function emitIndex(extension: ImportExtension, warnings: readonly AnalysisWarning[]): string {
  const told = warnings.map(({ field, kind, message }) => `${kind} ${field}: ${message}`);
  const declaration = 'export const warnings: readonly string[] = ';
  return `${generatedBanner.trimEnd()}
import type { ChatFormat, GeneratedModule } from 'idiolect/parser';
import data from './format.json' with { type: 'json' };
import { responseModule as parser } from './parser.${extension}';

/** How the model writes reasoning, answers and calls. */
export const format = data as ChatFormat;

/** The parser together with its format, for \`createResponseParser\` and the grammar. */
export const responseModule: GeneratedModule = { ...parser, format };

/** What the analysis could not read for certain. */
${declaration}${printValue(told, 0, declaration.length, 1)};
`;
}
