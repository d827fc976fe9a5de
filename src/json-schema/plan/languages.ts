/** Automata of scalar shapes, built once. */

import { BudgetExceeded, type StepBudget } from '../../language/expression/budget.ts';
import {
  type Automaton,
  automatonOf,
  automatonTerm,
  isEmptyAutomaton,
} from '../../language/regular/automaton.ts';
import { buildAutomaton } from '../../language/regular/build-automaton.ts';
import { type CountedLoops, countLoops } from '../../language/regular/counted-loops.ts';
import { lengthsOf, lengthWithin, maxLengthStates, restrictLength } from '../../language/regular/lengths.ts';
import { listedWords, type Term, type Terms } from '../../language/regular/terms.ts';
import { hasSmallInteger, numberAutomaton } from '../numbers/number-language.ts';
import { type ListedNumbers, numbersNearZero } from '../numbers/number-values.ts';
import { shapeKey } from '../shapes/shape-keys.ts';
import { fitsLength, type NumberShape, type StringShape } from '../shapes/shapes.ts';
import { type KnownAutomaton, knownAutomaton, knownRestriction } from './known-languages.ts';

/** Maximum number of states for a string whose length is reduced; it becomes about as many rules. */
const cutStates = 20_000;
/** How many times as many states to try before minimisation. */
const cutFactors = [1.5, 1];
/** Maximum number of states of any string with a length: some 120 kB of a grammar. */
const writtenStates = 3000;

/** A node of counted loops is written as about a tenth of what a state of a product may take. */
const statesPerNode = 10;

/** Counted loops that have all texts up to a shorter length than this part of another are not worth their rules. */
const fewerTexts = 4;

/** Long strings of a shape. */
interface LongStrings {
  readonly loops: CountedLoops;
  /** Shorter ones, which may be among those of the loops. */
  readonly shorter: Automaton | null;
  /** All strings of at most so many characters are among both. */
  readonly complete: number;
}

/** Builds and caches automata. All methods throw `BudgetExceeded`. */
export class Languages {
  readonly #terms: Terms;
  readonly #budget: StepBudget;
  readonly #automata = new Map<string, Automaton>();
  /** Automata that are also cached across schemas. */
  readonly #known = new Map<string, Automaton | 'too large'>();
  /** The greatest length that can be written, by language and wanted length. */
  readonly #written = new Map<string, number>();
  /** By language and wanted length; `null` where there are none. */
  readonly #counted = new Map<string, CountedLoops | null>();
  readonly #listed = new WeakMap<NumberShape, ListedNumbers>();
  readonly #stringStates: number;
  #maxProduct = 0;

  /** `stringStates` limits the automaton of a string times its length. */
  constructor(terms: Terms, budget: StepBudget, stringStates = maxLengthStates) {
    this.#terms = terms;
    this.#budget = budget;
    this.#stringStates = stringStates;
  }

  /** States of the largest product of a string's automaton and its lengths. */
  get maxProduct(): number {
    return this.#maxProduct;
  }

  /** The minimal automaton of a term. */
  of(term: Term): Automaton {
    return (
      automatonOf(term) ?? this.#once(String(term.id), () => buildAutomaton(this.#terms, term, this.#budget))
    );
  }

  /** The strings of a shape. */
  strings({ language, min, max }: StringShape): Automaton {
    if (min === 0 && max === null) return this.of(language);
    const automaton = this.of(language);
    this.#maxProduct = Math.max(this.#maxProduct, automaton.states.length * ((max ?? min) + 1));
    const key = `${language.id} ${min} ${max}`;
    if (automatonOf(language) === undefined)
      return this.#once(key, () => restrictLength(automaton, min, max, this.#budget));
    const made = this.#charged(key, () => knownRestriction(automaton, min, max, this.#budget));
    if (made === 'too large') throw new BudgetExceeded('automaton states times length');
    return made;
  }

  /** Whether the product of a shape's automaton and its length is too large. */
  #isTooLong({ language, max }: StringShape): boolean {
    if (max === null) return false;
    const automaton = this.of(language);
    const longest = lengthsOf(automaton).max;
    return (longest === null || longest > max) && automaton.states.length * (max + 1) > this.#stringStates;
  }

  /** The strings of a shape with counted loops, if `fitting` would leave only shorter ones; `null` if it cannot help. */
  loops(shape: StringShape): LongStrings | null {
    const { language, min, max } = shape;
    if (max === null || lengthsOf(this.of(language)).min < min) return null;
    const whole = this.#wholeLength(shape, max);
    if (whole >= max) return null;
    const automaton = this.of(language);
    this.#maxProduct = Math.max(this.#maxProduct, automaton.states.length * (max + 1));
    const key = `${language.id} ${max}`;
    if (!this.#counted.has(key)) {
      const wanted = { max, beyond: whole, nodes: Math.floor(this.#stringStates / statesPerNode) };
      this.#counted.set(key, countLoops(automaton, wanted, this.#budget));
    }
    const loops = this.#counted.get(key) ?? null;
    if (loops === null) return null;
    if (loops.complete > whole) return { loops, shorter: null, complete: loops.complete };
    if (whole >= max / 2 || loops.complete < whole / fewerTexts) return null;
    const shorter = this.fitting(shape);
    return { loops, shorter: this.strings(shorter), complete: shorter.max ?? max };
  }

  /** An upper limit for the length of the strings that `fitting` leaves. */
  #wholeLength(shape: StringShape, max: number): number {
    if (!this.#isTooLong(shape)) return this.#writable(shape, max).max ?? max;
    const allowed = Math.min(this.#stringStates, cutStates);
    return Math.floor((Math.max(...cutFactors) * allowed) / this.of(shape.language).states.length) - 1;
  }

  /** `shape`, or its shorter strings if its length makes the automaton too large. */
  fitting(shape: StringShape): StringShape {
    const { language, min, max } = shape;
    if (max === null) return shape;
    if (!this.#isTooLong(shape)) return this.#writable(shape, max);
    const automaton = this.of(language);
    const count = automaton.states.length;
    const lengths = lengthsOf(automaton);
    const allowed = Math.min(this.#stringStates, cutStates);
    const cuts = cutFactors
      .map((factor) => Math.min(max, Math.floor((factor * allowed) / count) - 1))
      .filter((most) => most >= Math.max(min, lengths.min))
      .map((most): StringShape => ({ ...shape, max: most }));
    // Conditions that cannot matter within a shorter length give small automata.
    return cuts.find((cut) => this.strings(cut).states.length <= allowed) ?? cuts.at(-1) ?? shape;
  }

  /** `shape`, or its shorter strings if its length makes the automaton too large to be written. */
  #writable(shape: StringShape, max: number): StringShape {
    const automaton = this.of(shape.language);
    const lengths = lengthsOf(automaton);
    const isShort = lengths.max !== null && lengths.max <= max;
    if (isShort || automaton.states.length * (max + 1) <= writtenStates) return shape;
    const key = `${shape.language.id} ${max}`;
    const most = this.#written.get(key) ?? lengthWithin(automaton, max, writtenStates, this.#budget);
    this.#written.set(key, most);
    return most < max && most >= Math.max(shape.min, lengths.min) ? { ...shape, max: most } : shape;
  }

  /** Whether a shape contains any strings. */
  hasStrings({ language, min, max }: StringShape): boolean {
    if (language === this.#terms.everything) return max === null || max >= min;
    const words = listedWords(language);
    if (words !== null) return words.some((word) => fitsLength(word, min, max));
    const automaton = this.of(language);
    if (isEmptyAutomaton(automaton)) return false;
    const shortest = lengthsOf(automaton).min;
    if (shortest >= min) return max === null || shortest <= max;
    return !isEmptyAutomaton(this.strings({ type: 'string', language, min, max }));
  }

  /** The strings of a shape as a term. */
  stringTerm(shape: StringShape): Term {
    return shape.min === 0 && shape.max === null
      ? shape.language
      : automatonTerm(this.#terms, this.strings(shape));
  }

  /** Whether a shape contains any numbers. */
  hasNumbers(shape: NumberShape): boolean {
    return hasSmallInteger(shape) || !isEmptyAutomaton(this.numbers([shape]));
  }

  /** The spellings of the numbers of a shape as a term. */
  numberTerm(shape: NumberShape): Term {
    return automatonTerm(this.#terms, this.numbers([shape]));
  }

  /** The spellings of the numbers of `shapes`. */
  numbers(shapes: readonly NumberShape[]): Automaton {
    const key = `numbers ${shapes.map(shapeKey).sort().join()}`;
    const made = this.#charged(key, () =>
      knownAutomaton(key, this.#budget, (budget) => numberAutomaton(shapes, budget)),
    );
    if (made === 'too large') throw new BudgetExceeded('automaton states for numbers');
    return made;
  }

  /** The numbers of `shape` nearest to zero, cached. */
  listed(shape: NumberShape): ListedNumbers {
    const found = this.#listed.get(shape) ?? numbersNearZero(shape, this.#budget);
    this.#listed.set(shape, found);
    return found;
  }

  /** The automaton that `make` builds for `key`, charged to the budget on first use even if another schema built it. */
  #charged(key: string, make: () => KnownAutomaton): Automaton | 'too large' {
    const found = this.#known.get(key);
    if (found !== undefined) return found;
    const { automaton, steps } = make();
    this.#budget.spend(steps);
    this.#known.set(key, automaton);
    return automaton;
  }

  #once(key: string, make: () => Automaton): Automaton {
    const found = this.#automata.get(key);
    if (found !== undefined) return found;
    const made = make();
    this.#automata.set(key, made);
    return made;
  }
}
