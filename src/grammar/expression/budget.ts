/** A deterministic allowance of work, so that a hostile or unlucky schema ends in a typed refusal. */

/** Thrown inside the compiler when an allowance is used up; becomes a `SchemaIssue` before it leaves. */
export class BudgetExceeded extends Error {
  /** What there was too much of: `automaton states`. */
  readonly subject: string;
  constructor(subject: string) {
    super(`more ${subject} than the budget allows`);
    this.name = 'BudgetExceeded';
    this.subject = subject;
  }
}

/** Counts down from an allowance of steps. */
export class StepBudget {
  readonly #allowed: number;
  #left: number;
  constructor(steps: number) {
    this.#allowed = steps;
    this.#left = steps;
  }

  /** Steps that were taken away so far, those that were not there included. */
  get spent(): number {
    return this.#allowed - this.#left;
  }

  /** Takes `steps` away; throws `BudgetExceeded` when none are left. */
  spend(steps = 1): void {
    this.#left -= steps;
    if (this.#left < 0) throw new BudgetExceeded('steps');
  }

  /** Throws `BudgetExceeded` where fewer than `steps` are left for what is about to be done; takes none away. */
  foresee(steps: number): void {
    if (steps > this.#left) throw new BudgetExceeded('steps');
  }
}

/**
 * Thrown by a writer when a shape turns out to have no value, which the fixpoint of satisfiability (it looks
 * at conditions one by one) had not seen.
 */
export class NoValueLeft extends BudgetExceeded {
  constructor() {
    super('conditions');
  }
}
