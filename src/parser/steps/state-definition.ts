/** States as data: a step with a table of names, and the linker that resolves the names. */

import type { Reader, State } from '../reader.ts';
import type { Transition } from '../state-tables.ts';

/** Name of a state: a TypeScript identifier. */
export type StateName = string;

/** Where a marker leads. Keys other than `peek` set the flag of that name in `Transition`. */
export type NamedTarget =
  | StateName
  | { readonly peek: StateName }
  | { readonly ambiguous: StateName }
  | { readonly speculative: StateName };

/** A marker that may come at a place, with its name in generated code. */
export interface NamedTransition extends Transition<StateName> {
  readonly name: string;
}

/** The markers that may come at a place: by name, where each one leads; or the transitions themselves. */
export type NamedChoices = Readonly<Record<string, NamedTarget>> | readonly NamedTransition[];

/** Resolves the names in a table. */
export interface Linker<Ref, Choices> {
  readonly state: (name: StateName) => Ref;
  readonly choices: (choices: NamedChoices) => Choices;
  /** Where malformed text is skipped; absent means the module's `recover`. */
  readonly recover: (name: StateName | undefined) => Ref;
}

/** The linker of a running module. */
export type StateLinker = Linker<State, readonly Transition<State>[]>;

/** A table as definitions write it; `recover` is usually omitted. */
export type Named<Table> = Table extends { readonly recover: unknown }
  ? Omit<Table, 'recover'> & { readonly recover?: StateName }
  : Table;

/** One state of a parser's definition. */
export interface StateDefinition {
  /** Name of the step in `idiolect/parser`. */
  readonly use: string;
  /** The table, with names resolved by a linker. */
  readonly map: <Ref, Choices>(to: Linker<Ref, Choices>) => object;
  /** The state; its table is linked and compiled when it is first reached. */
  readonly bind: (linker: StateLinker) => State;
}

/** The parts of a step. */
export interface Step<Table, Linked, Compiled> {
  readonly link: {
    (table: Table, to: StateLinker): Linked;
    <Ref, Choices>(table: Table, to: Linker<Ref, Choices>): object;
  };
  readonly compile: (table: Linked) => Compiled;
  readonly run: (reader: Reader, compiled: Compiled) => State | null;
}

/** Creates the function with which modules define states of this step. */
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

/** Resolves a name that may be absent. */
export function optional<Ref>(name: StateName | undefined, to: Linker<Ref, unknown>): Ref | undefined {
  return name === undefined ? undefined : to.state(name);
}

/** Whether choices are the transitions themselves, not a record of marker names. */
export function isTransitions(choices: NamedChoices): choices is readonly NamedTransition[] {
  return Array.isArray(choices);
}
