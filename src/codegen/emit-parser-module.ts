/**
 * Prints the parser of a format as a TypeScript module: the markers by name, and one entry per state with a picture of
 * the text that it reads. Output is stable and laid out for reading.
 */
import type { MarkerDefinition } from '../parser/define-parser.ts';
import {
  isTransitions,
  type Linker,
  linkState,
  type NamedTarget,
  type NamedTransition,
  type StateName,
} from '../parser/named-states.ts';
import type { Transition } from '../parser/state-tables.ts';
import { generatedBanner } from './banner.ts';
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

/** What a reader of markers has to know. */
export const markersNote =
  '// White space at the edges of a marker and around its line breaks is flexible: it may be there or not.';

/** The definition of a parser as an expression, with its states as `entriesOf` prints them, and a note on its markers. */
export function emitDefinition(
  { states, ...program }: ParserProgram,
  entriesOf: (states: readonly EmittedState[]) => readonly string[] = (all) => all.map(emitEntry),
  note = `  ${markersNote}\n`,
): { readonly steps: ReadonlySet<string>; readonly definition: string } {
  const names = new MarkerNames();
  const entries = entriesOf(emitStates(states, names));
  const markers = [...names.definitions];
  const fields = Object.fromEntries(
    Object.entries(program)
      .filter(([key, value]) => key !== 'turnStart' || !isMarkerOf(names, key, value))
      .map(([key, value]) => [key, toPrintable(value)]),
  );
  const definition = `defineParser({
${printEntries(fields, 2, layout)}
${note}  markers: {
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

/** A state as source text. */
export interface EmittedState {
  readonly name: string;
  /** The picture. */
  readonly comment: readonly string[];
  /** A call of the function of its step; further lines are indented by four. */
  readonly source: string;
}

/** The sources of states; the markers that they name are recorded. */
export function emitStates(states: readonly StateSpec[], names = new MarkerNames()): readonly EmittedState[] {
  return states.map((state) => emitState(state, names));
}

/** A state as an entry of an object. */
export function emitEntry({ name, comment, source }: EmittedState): string {
  return [...comment, `${name}: ${source},`].map((line) => `    ${line}`).join('\n');
}

function emitState({ name, title, picture, step }: StateSpec, names: MarkerNames): EmittedState {
  const printing: Linker<string | undefined, unknown> = {
    state: (state) => state,
    choices: (choices) => (isTransitions(choices) ? names.record(choices) : choices),
    recover: (state) => state,
  };
  const lines = drawPicture(picture, title, layout.width - '    // '.length);
  const start = `    ${name}: ${step.use}(`;
  return {
    name,
    comment: lines.map((line) => `// ${line}`),
    source: `${step.use}(${emitValue(linkState(step, printing), 4, start.length, 2)})`,
  };
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

/** The markers named so far: one name per marker, shared by all states. */
class MarkerNames {
  /** By name, in the order of first use. */
  readonly definitions = new Map<string, MarkerDefinition>();
  private readonly names = new Map<string, string>();

  /** Choices as a module writes them: where each marker leads, by its name. Of equal markers, the first counts. */
  record(choices: readonly NamedTransition[]): Readonly<Record<string, NamedTarget>> {
    const targets = new Map<string, NamedTarget>();
    for (const choice of choices) {
      const name = this.nameOf(choice);
      if (!targets.has(name)) targets.set(name, targetOf(choice));
    }
    return Object.fromEntries(targets);
  }

  private nameOf({ name: wanted, ...choice }: NamedTransition): string {
    const definition = definitionOf(choice);
    const key = JSON.stringify(definition);
    const known = this.names.get(key);
    if (known !== undefined) return known;
    const name = this.unusedName(wanted, choice.marker);
    this.definitions.set(name, definition);
    this.names.set(key, name);
    return name;
  }

  /** An unused name: if `wanted` is taken, the marker's own words are added, then a number. */
  private unusedName(wanted: string, marker: string): string {
    if (!this.definitions.has(wanted)) return wanted;
    const withWords = wanted + wordsOf(marker);
    if (!this.definitions.has(withWords)) return withWords;
    let number = 2;
    while (this.definitions.has(`${withWords}${number}`)) number++;
    return `${withWords}${number}`;
  }
}

/** The words of a marker, as part of a name: `ToolCall` for `</tool_call>`. */
export function wordsOf(marker: string): string {
  const words = marker.match(/[A-Z]?[a-z]+|[A-Z]+/g);
  if (words === null) return punctuation.get(marker.trim()) ?? '';
  return [...new Set(words.map((word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()))]
    .slice(0, maxWords)
    .join('');
}

const maxWords = 4;

const punctuation: ReadonlyMap<string, string> = new Map([
  ['[', 'Bracket'],
  [']', 'Bracket'],
  ['```', 'Fence'],
]);

function definitionOf(choice: Transition<StateName>): MarkerDefinition {
  const { marker: text, next: _next, peek: _peek, ambiguous: _a, speculative: _s, ...conditions } = choice;
  return Object.keys(conditions).length === 0 ? text : { text, ...conditions };
}

function targetOf({ next, peek, ambiguous, speculative }: Transition<StateName>): NamedTarget {
  if (peek) return { peek: next };
  if (ambiguous) return { ambiguous: next };
  return speculative ? { speculative: next } : next;
}
