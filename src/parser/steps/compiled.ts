/** Tables of steps, ready to be searched. */
import type { MarkerTable } from '../markers/markers.ts';
import type { State } from '../reader.ts';

/** A step's table, and the markers in it. */
export interface Compiled<Table> {
  readonly table: Table;
  readonly markers: MarkerTable<State>;
}
