/** What a schema says of a value. */

/** One reason why a value is invalid. */
export interface ValidationFailure {
  /** JSON pointer into the value. */
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
}

/** What a sub-schema says of a value: why it is invalid, and which of its parts it has looked at. */
export class Verdict {
  readonly pointer: string;
  readonly failures: ValidationFailure[] = [];
  /** Keys and indices that some keyword has evaluated. */
  readonly evaluated = new Set<string>();

  constructor(pointer: string) {
    this.pointer = pointer;
  }

  get holds(): boolean {
    return this.failures.length === 0;
  }

  fail(keyword: string, message: string): void {
    this.failures.push({ pointer: this.pointer, keyword, message });
  }

  /** Adds what a sub-schema says of the same value: its failures or, if there are none, what it has evaluated. */
  include(other: Verdict): void {
    for (const failure of other.failures) this.failures.push(failure);
    if (other.holds) for (const part of other.evaluated) this.evaluated.add(part);
  }
}
