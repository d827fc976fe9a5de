/** What was repaired in the open call; reported after it. */
import type { LeniencyLaw } from './events.ts';
import { duplicateKeys } from './json/duplicate-keys.ts';

interface CallRepair {
  readonly law: LeniencyLaw;
  readonly detail: string;
}

/** See the top of this file. */
export class CallRepairs {
  private repairs: CallRepair[] = [];

  get isEmpty(): boolean {
    return this.repairs.length === 0;
  }

  /** Adds a repair. */
  note(law: LeniencyLaw, detail: string): void {
    this.repairs.push({ law, detail });
  }

  /** Adds keys that occur twice in the arguments: a JSON parser keeps only the last value. */
  noteDuplicates(input: string): void {
    for (const key of duplicateKeys(input)) {
      this.note(
        'duplicate-argument',
        `the argument ${JSON.stringify(key)} is written twice; the last value counts`,
      );
    }
  }

  /** Adds a second call's id. */
  noteId(id: string, unique: string): void {
    this.note(
      'duplicate-id',
      `two calls have the id ${JSON.stringify(id)}; the second is called ${JSON.stringify(unique)}`,
    );
  }

  /** Adds arguments that are left out because they are `null`. */
  noteAbsent(names: readonly string[]): void {
    for (const name of names) {
      this.note(
        'null-argument',
        `the argument ${JSON.stringify(name)} is optional and must not be null; it is left out`,
      );
    }
  }

  /** Removes and returns the repairs, in order. */
  take(): readonly CallRepair[] {
    const { repairs } = this;
    if (repairs.length > 0) this.repairs = [];
    return repairs;
  }
}
