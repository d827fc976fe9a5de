/** States as data: a step with a table that holds names, and what turns the names into what they stand for. */

import type { Reader, State } from '../reader.ts';
import type { Transition } from '../state-tables.ts';

/** Name of a state: a TypeScript identifier. */
export type StateName = string;

/** Where a marker leads. Other than `peek` tells what the flag of that name in `Transition` does. */
export type NamedTarget =
  | StateName
  | { readonly peek: StateName }
  | { readonly ambiguous: StateName }
  | { readonly speculative: StateName };

/** A marker that may stand at a place, with its name in generated code. */
export interface NamedTransition extends Transition<StateName> {
  readonly name: string;
}

/** What may stand at a place: where each marker leads, by the marker's name; or the markers themselves. */
export type NamedChoices = Readonly<Record<string, NamedTarget>> | readonly NamedTransition[];

/** What the names in a table become. */
export interface Linker<Ref, Choices> {
  readonly state: (name: StateName) => Ref;
  readonly choices: (choices: NamedChoices) => Choices;
  /** Where malformed text is passed over; absent means where the module says. */
  readonly recover: (name: StateName | undefined) => Ref;
}

/** The linker of a module that runs. */
export type StateLinker = Linker<State, readonly Transition<State>[]>;

/** A table as definitions write it. Most leave out where malformed text is passed over. */
export type Named<Table> = Table extends { readonly recover: unknown }
  ? Omit<Table, 'recover'> & { readonly recover?: StateName }
  : Table;

/** One state of a parser's definition. */
export interface StateDefinition {
  /** Name of the step: what `idiolect/parser` exports it as. */
  readonly use: string;
  /** The table with what a linker makes of its names. */
  readonly map: <Ref, Choices>(to: Linker<Ref, Choices>) => object;
  /** The state; its table is linked and compiled when it is reached for the first time. */
  readonly bind: (linker: StateLinker) => State;
}

/** What a step is made of. */
export interface Step<Table, Linked, Compiled> {
  readonly link: {
    (table: Table, to: StateLinker): Linked;
    <Ref, Choices>(table: Table, to: Linker<Ref, Choices>): object;
  };
  readonly compile: (table: Linked) => Compiled;
  readonly run: (reader: Reader, compiled: Compiled) => State | null;
}

/** A function that defines states by this step. */
export function step<Table, Linked, Compiled>(
  use: string,
  { link, compile, run }: Step<Table, Linked, Compiled>,
): (table: Table) => StateDefinition {
  return (table) => ({
    use,
    map: (to) => link(table, to),
    bind: (linker) => {
      let compiled: Compiled | undefined;
      return (reader) => {
        compiled ??= compile(link(table, linker));
        return run(reader, compiled);
      };
    },
  });
}

/** A name that may be absent. */
export function optional<Ref>(name: StateName | undefined, to: Linker<Ref, unknown>): Ref | undefined {
  return name === undefined ? undefined : to.state(name);
}

/** Whether choices are the transitions themselves, not a record of marker names. */
export function isTransitions(choices: NamedChoices): choices is readonly NamedTransition[] {
  return Array.isArray(choices);
}
