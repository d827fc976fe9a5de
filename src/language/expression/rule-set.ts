/** Collects the named rules of a grammar: assigns legal names, and shares one name between equal rules. */

import { type Automaton, equalAutomata } from '../regular/automaton.ts';
import type { StepBudget } from './budget.ts';
import { type Expression, type Grammar, rule } from './expression.ts';
import { finish, type Steps } from './steps.ts';

/** Steps charged for a rule: what it costs to write, check and print it. */
const stepsPerRule = 15;

/** A name is made of this much of a hint; those of deep schemas are long. */
const longestHint = 200;

/** A rule whose name is reserved and whose body is not built yet. */
interface Waiting {
  readonly name: string;
  readonly build: () => Expression;
}

/** The rules of a grammar under construction. */
export class RuleSet {
  readonly #rules = new Map<string, Expression | null>();
  readonly #byKey = new Map<string, string>();
  readonly #byContent = new Map<string, string>();
  readonly #numbers = new Map<string, number>();
  readonly #stems = new Map<string, string>();
  #waiting: Waiting[] = [];
  #building = false;
  #nextKey = 0;
  #budget: StepBudget | null = null;
  readonly #shortKeys = new Map<string, string>();
  readonly #memory = new Map<string, Expression>();
  readonly #automata: Automaton[] = [];

  /** The rules built so far. */
  get rules(): ReadonlyMap<string, Expression> {
    const finished = new Map<string, Expression>();
    for (const [name, expression] of this.#rules) if (expression !== null) finished.set(name, expression);
    return finished;
  }

  /** A copy of this set; later additions do not affect the original. */
  branch(): RuleSet {
    const branch = new RuleSet();
    copyInto(branch.#rules, this.#rules);
    copyInto(branch.#byKey, this.#byKey);
    copyInto(branch.#byContent, this.#byContent);
    copyInto(branch.#numbers, this.#numbers);
    copyInto(branch.#shortKeys, this.#shortKeys);
    copyInto(branch.#memory, this.#memory);
    branch.#automata.push(...this.#automata);
    branch.#nextKey = this.#nextKey;
    return branch;
  }

  /** Reserves names for rules that `define` may add later. */
  reserve(names: Iterable<string>): void {
    for (const name of names) this.#rules.set(name, null);
  }

  /** Defines a reserved rule; returns false if it was defined already. */
  define(name: string, expression: Expression): boolean {
    if (this.#rules.get(name) !== null) return false;
    this.#rules.set(name, expression);
    return true;
  }

  /** The grammar with start rule `name`, which must be new and gets `expression` as its body. */
  grammar(name: string, expression: Expression): Grammar {
    if (this.#rules.has(name)) throw new RangeError(`there is a rule ${name} already`);
    this.#rules.set(name, expression);
    return { root: name, rules: this.rules };
  }

  /** Charges further rules, and work on them, to `budget`, or to none. `BudgetExceeded` is thrown once no step is left. */
  chargeTo(budget: StepBudget | null): void {
    this.#budget = budget;
  }

  /** Charges work on the rules to the budget. */
  charge(steps: number): void {
    this.#budget?.spend(steps);
  }

  /** An unused rule name derived from `hint`. */
  freshName(hint: string): string {
    this.charge(stepsPerRule);
    const stem = this.#stems.get(hint) ?? legalName(hint.slice(0, longestHint));
    this.#stems.set(hint, stem);
    for (let number = (this.#numbers.get(stem) ?? 0) + 1; ; number += 1) {
      const name = number === 1 ? stem : `${stem}-${number}`;
      if (this.#rules.has(name)) continue;
      this.#numbers.set(stem, number);
      return name;
    }
  }

  /** A short alias for a long key. */
  shortKey(key: string): string {
    const known = this.#shortKeys.get(key) ?? `=${this.#shortKeys.size}`;
    this.#shortKeys.set(key, known);
    return known;
  }

  /** A number for the automaton in keys of this set; equal automata have the same one. */
  automatonNumber(automaton: Automaton): number {
    const found = this.#automata.findIndex((each) => equalAutomata(each, automaton));
    return found >= 0 ? found : this.#automata.push(automaton) - 1;
  }

  /** A key that is used nowhere else. */
  freshKey(hint: string): string {
    this.#nextKey += 1;
    return `${hint} ${this.#nextKey}`;
  }

  /**
   * The rule for `key`; `build` makes its body on first use. The reference is valid before the body exists, so rules
   * can be recursive. Builds are queued, so that they do not nest deeply.
   */
  named(key: string, hint: string, build: () => Expression): Expression {
    const found = this.#byKey.get(key);
    if (found !== undefined) return rule(found);
    const name = this.#await(hint, build);
    this.#byKey.set(key, name);
    if (!this.#building) finish(this.#buildWaiting());
    return rule(name);
  }

  /** Like `named`, but without a key, for a rule referenced once. Call it only while another rule is being built. */
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
      // Rules requested during a batch go into the next one, so that finished builds can be garbage-collected.
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
   * Runs `write`, then builds the rules it requested, step by step; nothing else may write in the meantime. Rolls
   * back all additions if it throws or is stopped.
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

  /** Memoises `make` by `key`; the result may refer to rules of this set. */
  remember(key: string, make: () => Expression): Expression {
    const found = this.#memory.get(key);
    if (found !== undefined) return found;
    const made = make();
    this.#memory.set(key, made);
    return made;
  }

  /** A reference to a rule with body `expression`; equal expressions share a rule. */
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

/** Deletes all but the first `size` entries. */
function cutTo<Key>(map: Map<Key, unknown>, size: number): void {
  for (const key of [...map.keys()].slice(size)) map.delete(key);
}

function copyInto<Key, Value>(target: Map<Key, Value>, source: ReadonlyMap<Key, Value>): void {
  for (const [key, value] of source) target.set(key, value);
}

/** Turns `hint` into a rule name: `[a-z][a-z0-9-]*`, at most 40 characters. */
function legalName(hint: string): string {
  if (/^(?!root$)[a-z](?:-?[a-z0-9]){0,19}$/.test(hint)) return hint;
  const letters = hint
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-$/g, '')
    .slice(0, 40)
    .replace(/-$/, '');
  if (letters === '') return 'rule';
  // Every engine reserves this name for the start rule.
  return letters === 'root' ? 'root-value' : letters;
}
