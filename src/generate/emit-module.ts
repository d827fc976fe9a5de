/** Writes the files of one generated folder that do not depend on the grammar's back ends. */

import { generatedBanner } from '../codegen/banner.ts';
import { emitParserModule } from '../codegen/emit-parser-module.ts';
import { lowerToStates } from '../codegen/lower-to-states.ts';
import type { ChatFormat } from '../format/chat-format.ts';

/** Source text of the files, by name. */
export interface EmittedModule {
  /** The format as data. */
  readonly 'format.json': string;
  /** The streaming parser. */
  readonly 'parser.ts': string;
  /** What applications import: the module with its format. */
  readonly 'index.ts': string;
}

/**
 * How imports between generated files end: `js`, as tsc, tsx and bundlers resolve it, or `ts` for what runs
 * the files as they are (Node with its types stripped, Deno, Bun).
 */
export type ImportExtension = 'js' | 'ts';

/** The files of a format's generated folder. Deterministic, and formatted as the project's formatter does. */
export function emitModule(format: ChatFormat, extension: ImportExtension = 'js'): EmittedModule {
  return {
    'format.json': `${JSON.stringify(format, null, 2)}\n`,
    'parser.ts': emitParserModule(lowerToStates(format)),
    'index.ts': emitIndex(extension),
  };
}

function emitIndex(extension: ImportExtension): string {
  return `${generatedBanner.trimEnd()}
import type { ChatFormat, GeneratedModule } from 'idiolect/parser';
import data from './format.json' with { type: 'json' };
import { responseModule as parser } from './parser.${extension}';

/** How the model writes reasoning, answers and calls. */
export const format = data as ChatFormat;

/** The parser together with its format, for \`createResponseParser\` and the grammar. */
export const responseModule: GeneratedModule = { ...parser, format };
`;
}
