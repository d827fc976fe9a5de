/**
 * Writes the parser of a format as a TypeScript module: the markers by name, and one entry per state with a
 * picture of the text that it reads. Output is formatted and stable.
 */
import type { Linker } from '../parser/steps/state-definition.ts';
import { isTransitions } from '../parser/steps/state-definition.ts';
import { generatedBanner } from './banner.ts';
import { MarkerNames } from './name-markers.ts';
import { drawPicture } from './pictures.ts';
import { lineWidth, type Printable, printImport, printValue } from './source-writer.ts';
import type { ParserProgram, StateSpec } from './states.ts';

/** Source of `parser.ts`. */
export function emitParserModule({ states, ...program }: ParserProgram): string {
  const names = new MarkerNames();
  const entries = states.map((state) => emitState(state, names));
  const fields = Object.entries(program).map(
    ([key, value]) => `  ${key}: ${emitValue(value, 2, key.length + 4)},`,
  );
  const steps = new Set(states.map(({ step }) => step.use));
  return `${generatedBanner}
${printImport(['defineParser', ...steps], [], 'idiolect/parser')}

/** Reads the responses of one chat template. Pictures show the text that each state reads, with carets under it. */
export const responseModule = defineParser({
${fields.join('\n')}
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: ${emitValue(Object.fromEntries(names.definitions), 2, '  markers: '.length, true)},
  states: {
${entries.join('\n')}
  },
});
`;
}

function emitState({ name, title, picture, step }: StateSpec, names: MarkerNames): string {
  const printing: Linker<string | undefined, unknown> = {
    state: (state) => state,
    choices: (choices) => (isTransitions(choices) ? names.record(choices) : choices),
    recover: (state) => state,
  };
  const comment = drawPicture(picture, title, lineWidth - '    // '.length).map((line) => `    // ${line}`);
  const start = `    ${name}: ${step.use}(`;
  return `${comment.join('\n')}\n${start}${emitValue(step.map(printing), 4, start.length, false, 2)}),`;
}

/** A value of a definition; `broken`: with every entry on its own line. */
function emitValue(value: unknown, indent: number, column: number, broken = false, rest = 1): string {
  const printable = toPrintable(value);
  if (!broken) return printValue(printable, indent, column, rest);
  return printValue(printable, indent, lineWidth, rest);
}

function toPrintable(value: unknown): Printable {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) return value.map(toPrintable);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([key, each]) => [key, toPrintable(each)]));
}
