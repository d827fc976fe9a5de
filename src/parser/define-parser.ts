/** `defineParser` turns a definition into a module. Generated modules and formats interpreted at run time share it. */
import type { ResponseModule } from './module-contract.ts';
import { isTransitions, type NamedChoices, type NamedTarget, type StateName } from './named-states.ts';
import type { State } from './reader.ts';
import type { MarkerConditions, Transition } from './state-tables.ts';
import type { StateDefinition, StateLinker } from './steps/state-definition.ts';

/** A marker in a definition: its text, and the conditions under which it counts, if any. */
export type MarkerDefinition = string | ({ readonly text: string } & MarkerConditions);

/** A parser as data: the markers of a format, and its states. */
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
  /** The initial state. */
  readonly start: StateName;
  /** The state that skips malformed text, for states that name no other. */
  readonly recover?: StateName;
  readonly states: Readonly<Record<StateName, StateDefinition>>;
}

/**
 * Links a definition to a module. A state is linked when it is first reached; a name without a state or marker
 * then throws a `RangeError`.
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

/** Names the function after its state, so that `ParserPosition.state` can report it. */
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
