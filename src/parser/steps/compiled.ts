/** Compiled tables of steps. */
import type { MarkerTable } from '../markers/markers.ts';
import type { State } from '../reader.ts';

/** A step's table, and its markers ready to be searched. */
export interface Compiled<Table> {
  readonly table: Table;
  readonly markers: MarkerTable<State>;
}
