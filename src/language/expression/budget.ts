/** A deterministic limit on work, so that a hostile or unlucky schema ends in a typed error. */

/**
 * Thrown inside the compiler when a budget is exhausted; converted to a `SchemaIssue` before it leaves the compiler.
 */
export class BudgetExceeded extends Error {
  /** What exceeded the budget, such as `automaton states`. */
  readonly subject: string;
  constructor(subject: string) {
    super(`more ${subject} than the budget allows`);
    this.name = 'BudgetExceeded';
    this.subject = subject;
  }
}

/** A countdown of steps. */
export class StepBudget {
  readonly #allowed: number;
  #spent = 0;
  /** Whether nothing may take more steps than are left, also what has a budget of its own. */
  readonly isTrial: boolean;
  constructor(steps: number, isTrial = false) {
    this.#allowed = steps;
    this.isTrial = isTrial;
  }

  /** Steps that are left. */
  get left(): number {
    return this.#allowed - this.#spent;
  }

  /** Steps spent so far, including those beyond the budget. */
  get spent(): number {
    return this.#spent;
  }

  /** Spends `steps`; throws `BudgetExceeded` if they are not left. */
  spend(steps = 1): void {
    this.#spent += steps;
    if (this.#spent > this.#allowed) throw new BudgetExceeded('steps');
  }

  /** Throws `BudgetExceeded` if fewer than `steps` are left; spends none. */
  foresee(steps: number): void {
    if (steps > this.left) throw new BudgetExceeded('steps');
  }
}

/**
 * Thrown by a writer for a shape that turns out to have no value. The satisfiability fixpoint can miss one, because
 * it looks at conditions one at a time.
 */
export class NoValueLeft extends BudgetExceeded {
  constructor() {
    super('conditions');
  }
}
