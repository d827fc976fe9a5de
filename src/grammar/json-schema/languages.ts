/** Automata of scalar shapes, made once. */
import { type Automaton, automatonTerm, buildAutomaton, restrictLength } from '../regular/automaton.ts';
import { StepBudget } from '../regular/budget.ts';
import { type Term, Terms } from '../regular/terms.ts';
import { numberTerm } from './number-language.ts';
import { type NumberShape, type StringShape, shapeKey } from './shapes.ts';

/** Numbers have a budget of their own, so that remembering them changes no outcome. */
const numberBudget = 400_000;
const rememberedNumbers = 500;
const numberAutomata = new Map<string, Automaton>();

/** Makes and remembers automata. All of its methods throw `BudgetExceeded`. */
export class Languages {
  readonly #terms: Terms;
  readonly #budget: StepBudget;
  readonly #automata = new Map<string, Automaton>();

  constructor(terms: Terms, budget: StepBudget) {
    this.#terms = terms;
    this.#budget = budget;
  }

  /** The minimal automaton of a term. */
  of(term: Term): Automaton {
    return this.#once(String(term.id), () => buildAutomaton(this.#terms, term, this.#budget));
  }

  /** The strings of a shape. */
  strings({ language, min, max }: StringShape): Automaton {
    if (min === 0 && max === null) return this.of(language);
    return this.#once(`${language.id} ${min} ${max}`, () =>
      restrictLength(this.of(language), min, max, this.#budget),
    );
  }

  /** The strings of a shape as a term. */
  stringTerm(shape: StringShape): Term {
    return shape.min === 0 && shape.max === null
      ? shape.language
      : automatonTerm(this.#terms, this.strings(shape));
  }

  /** The spellings of the numbers of `shapes`. */
  numbers(shapes: readonly NumberShape[]): Automaton {
    const key = shapes.map(shapeKey).sort().join();
    const known = numberAutomata.get(key);
    if (known !== undefined) return known;
    const budget = new StepBudget(numberBudget);
    const terms = new Terms(budget);
    const made = buildAutomaton(terms, terms.or(...shapes.map((shape) => numberTerm(terms, shape))), budget);
    if (numberAutomata.size < rememberedNumbers) numberAutomata.set(key, made);
    return made;
  }

  #once(key: string, make: () => Automaton): Automaton {
    const found = this.#automata.get(key);
    if (found !== undefined) return found;
    const made = make();
    this.#automata.set(key, made);
    return made;
  }
}
