/** Prints the parsers of the notations that models write in place of their template's, as a source file of `parser`. */
import { type CallNotationName, callNotations, notationFormat } from '../format/call-notations.ts';
import { type CallsLayout, turnLayout } from '../layout/turn-layout.ts';
import { moduleContractVersion } from '../parser/module-contract.ts';
import { callEnd } from '../parser/steps/steps.ts';
import { openingState } from './call-states.ts';
import { type EmittedState, emitDefinition, emitStates, keyOfState } from './emit-parser-module.ts';
import { callStates } from './lower-calls.ts';
import { reachable } from './lower-to-states.ts';
import { markerPlan } from './marker-plan.ts';
import { malformed, type ParserProgram, type StateSpec } from './states.ts';

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
    ? { ...state, step: callEnd({}) }
    : state;
}

/** The source of `parser/notations/notation-parsers.ts`. States that several notations have are constants. */
export function emitNotations(): string {
  const names = Object.keys(callNotations).filter(isNotation);
  const programs = names.map((name) => ({ name, program: lowerNotation(name) }));
  const shared = sharedStates(programs.flatMap(({ program }) => emitStates(program.states)));
  const constants = new Map(shared.map((state) => [keyOfState(state), state.constant]));
  const parsers = programs.map(({ name, program }) => ({ name, ...emitDefinition(program, constants) }));
  const steps = new Set(parsers.flatMap((each) => [...each.steps]));
  const definitions = parsers.map(({ name, definition }) => `const ${name} = ${definition};\n`);
  return `// Written by \`npm run generate\` from \`format/call-notations.ts\`. Do not edit: changes are lost.
import { defineParser } from '../define-parser.ts';
import type { State } from '../reader.ts';
import type { Notation } from '../state-tables.ts';
import { ${[...steps].sort().join(', ')} } from '../steps/steps.ts';

// States that several notations have, each with a picture of the first of them.

${shared.map(constantOf).join('\n')}

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

/** Those of `states` that are there more than once, most frequent ones first. */
function sharedStates(states: readonly EmittedState[]): readonly SharedState[] {
  const byKey = new Map<string, EmittedState[]>();
  for (const state of states) byKey.set(keyOfState(state), [...(byKey.get(keyOfState(state)) ?? []), state]);
  const names: string[] = [];
  return [...byKey.values()]
    .sort((one, other) => other.length - one.length)
    .flatMap(([state, ...others]) => (state === undefined || others.length === 0 ? [] : [state]))
    .map((state) => {
      names.push(state.name);
      const number = names.filter((name) => name === state.name).length;
      return { ...state, constant: number === 1 ? state.name : `${state.name}${number}` };
    });
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
