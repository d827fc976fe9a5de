/** Writes the files of one generated folder that do not depend on the grammar's back ends. */

import { generatedBanner } from '../codegen/banner.ts';
import { emitParserModule } from '../codegen/emit-parser-module.ts';
import { lowerToStates } from '../codegen/lower-to-states.ts';
import { type Printable, printValue } from '../codegen/source-writer.ts';
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

/** The files of a format's generated folder. Deterministic, and formatted as the project's formatter does. */
export function emitModule(format: ChatFormat): EmittedModule {
  return {
    'format.json': `${JSON.stringify(format, null, 2)}\n`,
    'parser.ts': emitParserModule(lowerToStates(format)),
    'index.ts': emitIndex(format),
  };
}

function emitIndex(format: ChatFormat): string {
  const start = 'export const format: ChatFormat = ';
  const data: Printable = JSON.parse(JSON.stringify(format));
  return `${generatedBanner.trimEnd()}
import type { ChatFormat, GeneratedModule } from 'idiolect/parser';
import { responseModule as parser } from './parser.js';

/** How the model writes reasoning, answers and calls. */
${start}${printValue(data, 0, start.length, 1)};

/** The parser together with its format, for \`createResponseParser\` and the grammar. */
export const responseModule: GeneratedModule = { ...parser, format };

export default responseModule;
`;
}
