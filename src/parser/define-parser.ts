/** `defineParser`: what a module's definition means. Generated modules and formats met at run time share it. */
import type { ResponseModule } from './module-contract.ts';
import type { State } from './reader.ts';
import type { MarkerConditions, Transition } from './state-tables.ts';
import {
  isTransitions,
  type NamedChoices,
  type NamedTarget,
  type StateDefinition,
  type StateLinker,
  type StateName,
} from './steps/state-definition.ts';

/** A marker as a definition writes it: its text, and when it counts if that is not always. */
export type MarkerDefinition = string | ({ readonly text: string } & MarkerConditions);

/** A parser as data: the markers of a format, and the places where its reader can stand. */
export interface ParserDefinition {
  /** `moduleContractVersion` of the tool that wrote the definition. */
  readonly contract: number;
  /** SHA-256 (hex) of the chat template. */
  readonly templateSha256: string;
  /** What every assistant turn begins with. Absent means the marker of this name. */
  readonly turnStart?: string;
  /** White space after `turnStart` that is not part of the response. Absent means none. */
  readonly lead?: string;
  /** What the generation prompt adds after `turnStart` to open reasoning that has no marker. Absent means none. */
  readonly thoughtPrompt?: string;
  /** The markers that states name. White space at their edges and around their line breaks is flexible. */
  readonly markers?: Readonly<Record<string, MarkerDefinition>>;
  /** Where reading begins. */
  readonly start: StateName;
  /** Where malformed text is passed over, if a state names no other place. */
  readonly recover?: StateName;
  readonly states: Readonly<Record<StateName, StateDefinition>>;
}

/**
 * The module of a definition. States are linked when they are reached: a name that stands for no state or no
 * marker is a `RangeError` then.
 */
export function defineParser(definition: ParserDefinition): ResponseModule {
  const { contract, templateSha256, lead = '', thoughtPrompt = '', start } = definition;
  const linker = linkerOf(definition);
  const turnStart = definition.turnStart ?? found(startMarker(definition), 'turnStart');
  return { contract, templateSha256, turnStart, lead, thoughtPrompt, start: linker.state(start) };
}

function startMarker({ markers }: ParserDefinition): string | undefined {
  const given = markers?.turnStart;
  return typeof given === 'object' ? given.text : given;
}

function linkerOf(definition: ParserDefinition): StateLinker {
  const markers = new Map(Object.entries(definition.markers ?? {}));
  const states = new Map<StateName, State>();
  const linker: StateLinker = {
    state: (name) => found(states.get(name), `state ${name}`),
    choices: (choices) => transitions(choices, markers, linker),
    recover: (name = definition.recover) => linker.state(found(name, 'state for malformed text')),
  };
  for (const [name, state] of Object.entries(definition.states))
    states.set(name, named(name, state.bind(linker)));
  return linker;
}

/** A state under its name, by which a parser says where it stands. */
function named(name: StateName, state: State): State {
  return Object.defineProperty(state, 'name', { value: name });
}

function found<Value>(value: Value | undefined, what: string): Value {
  if (value === undefined) throw new RangeError(`the parser's definition has no ${what}`);
  return value;
}

function transitions(
  choices: NamedChoices,
  markers: ReadonlyMap<string, MarkerDefinition>,
  { state }: StateLinker,
): readonly Transition<State>[] {
  if (isTransitions(choices))
    return choices.map(({ name: _, ...choice }) => ({ ...choice, next: state(choice.next) }));
  return Object.entries(choices).map(([name, target]) => ({
    ...marker(found(markers.get(name), `marker ${name}`)),
    ...flagged(target, state),
  }));
}

function marker(definition: MarkerDefinition): MarkerConditions & { readonly marker: string } {
  if (typeof definition === 'string') return { marker: definition };
  const { text, ...conditions } = definition;
  return { marker: text, ...conditions };
}

function flagged(
  target: NamedTarget,
  state: (name: StateName) => State,
): Pick<Transition<State>, 'next' | 'peek' | 'ambiguous' | 'speculative'> {
  if (typeof target === 'string') return { next: state(target) };
  if ('peek' in target) return { next: state(target.peek), peek: true };
  if ('ambiguous' in target) return { next: state(target.ambiguous), ambiguous: true };
  return { next: state(target.speculative), speculative: true };
}
