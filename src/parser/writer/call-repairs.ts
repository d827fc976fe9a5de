/** What was repaired in the open call; reported after it. */
import { duplicateKeys } from '../json/duplicate-keys.ts';
import { type Repair, repair } from '../leniency/law-table.ts';

/** See the top of this file. */
export class CallRepairs {
  private repairs: Repair[] = [];

  get isEmpty(): boolean {
    return this.repairs.length === 0;
  }

  /** Adds a repair. */
  note(made: Repair): void {
    this.repairs.push(made);
  }

  /** Adds keys that occur twice in the arguments: a JSON parser keeps only the last value. */
  noteDuplicates(input: string): void {
    for (const key of duplicateKeys(input)) this.note(repair('duplicate-argument', 'argument', key));
  }

  /** Adds a second call's id. */
  noteId(id: string, unique: string): void {
    this.note(repair('duplicate-id', 'id', id, unique));
  }

  /** Adds arguments that are left out because they are `null`. */
  noteAbsent(names: readonly string[]): void {
    for (const name of names) this.note(repair('null-argument', 'argument', name));
  }

  /** Removes and returns the repairs, in order. */
  take(): readonly Repair[] {
    const { repairs } = this;
    if (repairs.length > 0) this.repairs = [];
    return repairs;
  }
}
