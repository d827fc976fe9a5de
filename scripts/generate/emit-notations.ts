/** Prints the parsers of the notations that models write in place of their template's, as a source file of `parser`. */

import { openingState } from '../../src/codegen/call-states.ts';
import {
  type EmittedState,
  emitDefinition,
  emitEntry,
  emitStates,
  markersNote,
} from '../../src/codegen/emit-parser-module.ts';
import { callStates } from '../../src/codegen/lower-calls.ts';
import { reachable } from '../../src/codegen/lower-to-states.ts';
import { markerPlan } from '../../src/codegen/marker-plan.ts';
import { malformed, type ParserProgram, type StateSpec } from '../../src/codegen/states.ts';
import { type CallNotationName, callNotations, notationFormat } from '../../src/format/call-notations.ts';
import { groupBy } from '../../src/format/groups.ts';
import { type CallsLayout, turnLayout } from '../../src/layout/turn-layout.ts';
import { moduleContractVersion } from '../../src/parser/module-contract.ts';
import { state as stateOf } from '../../src/parser/named-states.ts';

/** The longest line of the file. */
const width = 120;

/** The states of one call, from its name to its end. */
export function lowerNotation(notation: CallNotationName): ParserProgram {
  const format = notationFormat(notation);
  const plan = markerPlan(turnLayout(format));
  if (plan.calls === null) throw new RangeError(`${notation} has no calls`);
  // Only the call itself is read, so its last character may be followed by anything.
  const layout = { ...plan.calls.layout, anotherNameEnds: [] };
  const start = openingState(layout, layout.opening.length);
  return {
    contract: moduleContractVersion,
    start,
    recover: malformed,
    templateSha256: format.templateSha256,
    turnStart: '',
    states: reachable(callStates(plan, { ...plan.calls, layout }).map(endedCall), start),
  };
}

/** After the call, and in what is none, its reader stops. */
function endedCall(state: StateSpec): StateSpec {
  return state.name === malformed || /^afterCalls?$/.test(state.name)
    ? { ...state, step: stateOf('callEnd', {}) }
    : state;
}

/** The source of `parser/notations/notation-parsers.ts`. States that several notations have are constants. */
export function emitNotations(): string {
  const names = Object.keys(callNotations).filter(isNotation);
  const programs = names.map((name) => ({ name, program: lowerNotation(name) }));
  const shared = sharedStates(programs.flatMap(({ program }) => emitStates(program.states)));
  const parsers = programs.map(({ name, program }) => ({
    name,
    ...emitDefinition(program, (states) => entriesOf(states, shared), ''),
  }));
  const steps = new Set(parsers.flatMap((each) => [...each.steps]));
  const definitions = parsers.map(({ name, definition }) => `const ${name} = ${definition};\n`);
  return `// Written by \`npm run generate\` from \`format/call-notations.ts\`. Do not edit: changes are lost.
import { defineParser } from '../define-parser.ts';
import type { State } from '../reader.ts';
import type { Notation } from '../state-tables.ts';
import { ${[...steps].sort().join(', ')} } from '../steps/steps.ts';

${markersNote}

// States that several notations have, each with a picture of the first of them.

${[...shared.values()].map(constantOf).join('\n')}

${definitions.join('\n')}
/** The notations, in the order in which they are tried. */
export const notations: readonly Notation<State>[] = [
${names.map((name) => `  { ${headOf(name)}, start: ${name}.start },`).join('\n')}
];
`;
}

/** A state that several notations have. */
interface SharedState extends EmittedState {
  /** Its name, with a number if another one has it. */
  readonly constant: string;
}

/** Those of `states` that are there more than once, by name and source, most frequent ones first. */
function sharedStates(states: readonly EmittedState[]): ReadonlyMap<string, SharedState> {
  const all = groupBy(states, keyOf);
  const names: string[] = [];
  const shared = new Map<string, SharedState>();
  for (const [state, ...others] of [...all.values()].sort((one, other) => other.length - one.length)) {
    if (state === undefined || others.length === 0) continue;
    names.push(state.name);
    const number = names.filter((name) => name === state.name).length;
    shared.set(keyOf(state), { ...state, constant: number === 1 ? state.name : `${state.name}${number}` });
  }
  return shared;
}

function keyOf({ name, source }: EmittedState): string {
  return `${name}: ${source}`;
}

/** States as entries of an object; constants share lines. */
function entriesOf(
  states: readonly EmittedState[],
  shared: ReadonlyMap<string, SharedState>,
): readonly string[] {
  const entries: string[] = [];
  for (const state of states) {
    const constant = shared.get(keyOf(state))?.constant;
    const last = entries.at(-1) ?? '\n';
    const entry = constant === state.name ? `${constant},` : `${state.name}: ${constant},`;
    if (constant === undefined) entries.push(emitEntry(state));
    else if (last.includes('\n') || last.length + entry.length >= width) entries.push(`    ${entry}`);
    else entries[entries.length - 1] = `${last} ${entry}`;
  }
  return entries;
}

function constantOf({ constant, comment, source }: SharedState): string {
  return [...comment, `const ${constant} = ${source.replaceAll('\n    ', '\n')};`].join('\n');
}

function isNotation(name: string): name is CallNotationName {
  return Object.hasOwn(callNotations, name);
}

/** What tells a call in a notation from text: the text before the tool's name, and what may follow the name. */
function headOf(name: CallNotationName): string {
  const { calls } = turnLayout(notationFormat(name));
  const open = calls?.opener.core ?? '';
  const nameEnds = calls === null ? [] : nameEndsOf(calls);
  return Object.entries({ name, open, nameEnds })
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    .join(', ');
}

function nameEndsOf({ afterName, argumentBegins }: CallsLayout): readonly string[] {
  return afterName.isBlank ? argumentBegins : [afterName.firstWord];
}
