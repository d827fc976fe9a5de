/**
 * Prints the parser of a format as a TypeScript module: the markers by name, and one entry per state with a picture of
 * the text that it reads. Output is stable and laid out for reading.
 */
import type { MarkerDefinition } from '../parser/define-parser.ts';
import type { Linker } from '../parser/steps/state-definition.ts';
import { isTransitions } from '../parser/steps/state-definition.ts';
import { generatedBanner } from './banner.ts';
import { MarkerNames } from './name-markers.ts';
import { drawPicture } from './pictures.ts';
import { type Layout, type Printable, printEntries, printImport, printValue } from './source-writer.ts';
import type { ParserProgram, StateSpec } from './states.ts';

const layout: Layout = { width: 120, dense: true };

/** The source of `parser.ts`. */
export function emitParserModule(program: ParserProgram): string {
  const { steps, definition } = emitDefinition(program);
  return `${generatedBanner}
${printImport(['defineParser', ...steps], [], 'idiolect/parser', layout)}

/** Reads the responses of one chat template. Pictures show the text that each state reads, with carets under it. */
export const responseModule = ${definition};
`;
}

/** The definition of a parser as an expression, and the steps that it uses. */
export function emitDefinition({ states, ...program }: ParserProgram): {
  readonly steps: ReadonlySet<string>;
  readonly definition: string;
} {
  const names = new MarkerNames();
  const entries = states.map((state) => emitState(state, names));
  const markers = [...names.definitions];
  const fields = Object.fromEntries(
    Object.entries(program)
      .filter(([key, value]) => key !== 'turnStart' || !isMarkerOf(names, key, value))
      .map(([key, value]) => [key, toPrintable(value)]),
  );
  const definition = `defineParser({
${printEntries(fields, 2, layout)}
  // White space at the edges of a marker and around its line breaks is flexible: it may be there or not.
  markers: {
${markers.map((marker) => emitField(marker, 4)).join('\n')}
  },
  states: {
${entries.join('\n')}
  },
})`;
  return { steps: new Set(states.map(({ step }) => step.use)), definition };
}

/** Whether the marker `name` has this text, so the text need not be repeated. */
function isMarkerOf({ definitions }: MarkerNames, name: string, text: unknown): boolean {
  const definition: MarkerDefinition | undefined = definitions.get(name);
  return (typeof definition === 'object' ? definition.text : definition) === text;
}

function emitState({ name, title, picture, step }: StateSpec, names: MarkerNames): string {
  const printing: Linker<string | undefined, unknown> = {
    state: (state) => state,
    choices: (choices) => (isTransitions(choices) ? names.record(choices) : choices),
    recover: (state) => state,
  };
  const comment = drawPicture(picture, title, layout.width - '    // '.length).map(
    (line) => `    // ${line}`,
  );
  const start = `    ${name}: ${step.use}(`;
  return `${comment.join('\n')}\n${start}${emitValue(step.map(printing), 4, start.length, 2)}),`;
}

/** An entry of an object, on lines of its own. */
function emitField([key, value]: readonly [string, unknown], indent: number): string {
  const start = `${' '.repeat(indent)}${key}: `;
  return `${start}${emitValue(value, indent, start.length, 1)},`;
}

function emitValue(value: unknown, indent: number, column: number, rest: number): string {
  return printValue(toPrintable(value), indent, column, rest, layout);
}

function toPrintable(value: unknown): Printable {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) return value.map(toPrintable);
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  return Object.fromEntries(entries.map(([key, each]) => [key, toPrintable(each)]));
}
