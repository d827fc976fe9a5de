/** What a schema says of a value. */

/** One reason why a value is invalid. */
export interface ValidationFailure {
  /** JSON pointer into the value. */
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
}

/** References that meet again may tell of the same failures more often than there is memory for. */
const maxFailures = 1000;

/** What a sub-schema says of a value: why it is invalid, and which of its parts it has looked at. */
export class Verdict {
  readonly pointer: string;
  readonly #failures: ValidationFailure[] = [];
  /** Keys and indices that some keyword has evaluated. */
  readonly evaluated = new Set<string>();

  constructor(pointer: string) {
    this.pointer = pointer;
  }

  get holds(): boolean {
    return this.#failures.length === 0;
  }

  /** Why the value is invalid, the first `maxFailures` reasons; empty if it is not. */
  get failures(): readonly ValidationFailure[] {
    return this.#failures;
  }

  fail(keyword: string, message: string): void {
    this.addFailures([{ pointer: this.pointer, keyword, message }]);
  }

  addFailures(failures: readonly ValidationFailure[]): void {
    const room = maxFailures - this.#failures.length;
    for (const failure of failures.slice(0, room)) this.#failures.push(failure);
  }

  /** Adds what a sub-schema says of the same value: its failures or, if there are none, what it has evaluated. */
  include(other: Verdict): void {
    this.addFailures(other.failures);
    if (other.holds) for (const part of other.evaluated) this.evaluated.add(part);
  }
}
