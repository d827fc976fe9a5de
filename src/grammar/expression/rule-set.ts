/** Named rules of one grammar: hands out legal names, and gives equal rules one name. */

import { BudgetExceeded, type StepBudget } from './budget.ts';
import { type Expression, type Grammar, rule } from './expression.ts';
import { finish, type Steps } from './steps.ts';

/** What a rule costs of the budget: to write, check and print it takes about as long as so many steps. */
const stepsPerRule = 15;

/** A rule that was promised. */
interface Waiting {
  readonly name: string;
  readonly build: () => Expression;
}

/** Collects the rules of a grammar while it is being built. */
export class RuleSet {
  readonly #rules = new Map<string, Expression | null>();
  readonly #byKey = new Map<string, string>();
  readonly #byContent = new Map<string, string>();
  readonly #numbers = new Map<string, number>();
  readonly #stems = new Map<string, string>();
  #waiting: Waiting[] = [];
  #building = false;
  #nextKey = 0;
  #limit = Number.POSITIVE_INFINITY;
  #budget: StepBudget | null = null;
  readonly #shortKeys = new Map<string, string>();
  readonly #memory = new Map<string, Expression>();

  /** The rules so far. */
  get rules(): ReadonlyMap<string, Expression> {
    const finished = new Map<string, Expression>();
    for (const [name, expression] of this.#rules) if (expression !== null) finished.set(name, expression);
    return finished;
  }

  /** A set that begins as this one is now; what is added there is not added here. */
  branch(): RuleSet {
    const branch = new RuleSet();
    copyInto(branch.#rules, this.#rules);
    copyInto(branch.#byKey, this.#byKey);
    copyInto(branch.#byContent, this.#byContent);
    copyInto(branch.#numbers, this.#numbers);
    copyInto(branch.#shortKeys, this.#shortKeys);
    copyInto(branch.#memory, this.#memory);
    branch.#nextKey = this.#nextKey;
    return branch;
  }

  /** Keeps names free for rules that `define` may give them. */
  reserve(names: Iterable<string>): void {
    for (const name of names) this.#rules.set(name, null);
  }

  /** Gives a reserved name its rule; says whether it had none yet. */
  define(name: string, expression: Expression): boolean {
    if (this.#rules.get(name) !== null) return false;
    this.#rules.set(name, expression);
    return true;
  }

  /** The grammar that starts at a rule `name`, which is made of `expression` and must be new. */
  grammar(name: string, expression: Expression): Grammar {
    if (this.#rules.has(name)) throw new RangeError(`there is a rule ${name} already`);
    this.#rules.set(name, expression);
    return { root: name, rules: this.rules };
  }

  /**
   * From now on so many more rules may be added, which are paid for from `budget`; beyond, adding throws
   * `BudgetExceeded`.
   */
  allow(count: number, budget: StepBudget): void {
    this.#limit = this.#rules.size + count;
    this.#budget = budget;
  }

  /** Takes back what `allow` has set. */
  allowAll(): void {
    this.#limit = Number.POSITIVE_INFINITY;
    this.#budget = null;
  }

  /** Pays for work on the rules. */
  charge(steps: number): void {
    this.#budget?.spend(steps);
  }

  /** A name that no rule has yet, made of letters and digits of `hint`. */
  freshName(hint: string): string {
    if (this.#rules.size >= this.#limit) throw new BudgetExceeded('rules');
    this.charge(stepsPerRule);
    const stem = this.#stems.get(hint) ?? legalName(hint);
    this.#stems.set(hint, stem);
    for (let number = (this.#numbers.get(stem) ?? 0) + 1; ; number += 1) {
      const name = number === 1 ? stem : `${stem}-${number}`;
      if (this.#rules.has(name)) continue;
      this.#numbers.set(stem, number);
      return name;
    }
  }

  /** A short text that stands for a long key. */
  shortKey(key: string): string {
    const known = this.#shortKeys.get(key) ?? `=${this.#shortKeys.size}`;
    this.#shortKeys.set(key, known);
    return known;
  }

  /** A key that was not given before. */
  freshKey(hint: string): string {
    this.#nextKey += 1;
    return `${hint} ${this.#nextKey}`;
  }

  /**
   * The rule that stands for `key`; the first time, `build` makes it. Until then the reference is already
   * good, so rules can be recursive. Builds wait for their turn, so that they do not nest deeply.
   */
  named(key: string, hint: string, build: () => Expression): Expression {
    const found = this.#byKey.get(key);
    if (found !== undefined) return rule(found);
    const name = this.#await(hint, build);
    this.#byKey.set(key, name);
    if (!this.#building) finish(this.#buildWaiting());
    return rule(name);
  }

  /** A rule that no one asks for again; made like one that has a key, and only while such a one is built. */
  later(hint: string, build: () => Expression): Expression {
    return rule(this.#await(hint, build));
  }

  #await(hint: string, build: () => Expression): string {
    const name = this.freshName(hint);
    this.#rules.set(name, null);
    this.#waiting.push({ name, build });
    return name;
  }

  *#buildWaiting(): Steps<void> {
    this.#building = true;
    try {
      // What builds ask for waits for the next batch, so that finished builds can be garbage-collected.
      while (this.#waiting.length > 0) {
        const batch = this.#waiting;
        this.#waiting = [];
        for (const { name, build } of batch) {
          this.#rules.set(name, build());
          yield;
        }
      }
    } finally {
      this.#building = false;
      this.#waiting = [];
    }
  }

  /**
   * Runs `write`, then builds the rules that it has asked for, step by step; nothing else may be written meanwhile.
   * When it throws or is stopped, takes back what was added.
   */
  *attempt<T>(write: () => T): Steps<T> {
    const maps = [this.#rules, this.#byKey, this.#byContent, this.#memory];
    const sizes = maps.map((map) => map.size);
    let written = false;
    try {
      this.#building = true;
      const result = write();
      yield* this.#buildWaiting();
      written = true;
      return result;
    } finally {
      this.#building = false;
      this.#waiting = [];
      if (!written) for (const [index, map] of maps.entries()) cutTo(map, sizes[index] ?? 0);
    }
  }

  /** What `make` gave for `key`, which may refer to rules of this set. */
  remember(key: string, make: () => Expression): Expression {
    const found = this.#memory.get(key);
    if (found !== undefined) return found;
    const made = make();
    this.#memory.set(key, made);
    return made;
  }

  /** A reference to a rule that is `expression`; equal expressions get one rule. */
  add(hint: string, expression: Expression): Expression {
    if (expression.type === 'rule') return expression;
    const content = JSON.stringify(expression);
    const name = this.#byContent.get(content) ?? this.freshName(hint);
    if (!this.#byContent.has(content)) {
      this.#byContent.set(content, name);
      this.#rules.set(name, expression);
    }
    return rule(name);
  }
}

/** Takes out all but the first `size` entries. */
function cutTo<Key>(map: Map<Key, unknown>, size: number): void {
  for (const key of [...map.keys()].slice(size)) map.delete(key);
}

function copyInto<Key, Value>(target: Map<Key, Value>, source: ReadonlyMap<Key, Value>): void {
  for (const [key, value] of source) target.set(key, value);
}

/** `hint` as a rule name: `[a-z][a-z0-9-]*`, of moderate length. */
function legalName(hint: string): string {
  const letters = hint
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 40)
    .replace(/-+$/, '');
  if (letters === '') return 'rule';
  // The start rule has this name in every engine.
  return letters === 'root' ? 'root-value' : letters;
}
