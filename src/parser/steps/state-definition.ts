/** States of a running module: a step and its table, linked and compiled when the state is first reached. */

import type { Linker } from '../named-states.ts';
import type { Reader, State } from '../reader.ts';
import type { Transition } from '../state-tables.ts';

/** The linker of a running module. */
export type StateLinker = Linker<State, readonly Transition<State>[]>;

/** One state of a parser's definition: given a linker, the state. */
export interface StateDefinition {
  /** The state, whose transitions the linker finds by their names when it is first reached. */
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
  parts: () => Step<Table, Linked, Compiled>,
): (table: Table) => StateDefinition {
  const { link, compile, run } = parts();
  return (table) => ({
    bind: (linker) => {
      let compiled: Compiled | undefined;
      return (reader) => {
        compiled ??= compile(link(table, linker));
        return run(reader, compiled);
      };
    },
  });
}
