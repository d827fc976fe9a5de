/**
 * Automata of patterns, formats and numbers, cached across schemas. Each is built within its own budget and cached
 * with its cost, which every schema that uses it pays: the cache changes no outcome.
 */

import { isObject } from '../../format/json-values.ts';
import type { JsonSchema } from '../../format/messages.ts';
import { BudgetExceeded, StepBudget } from '../../language/expression/budget.ts';
import { finish, type Steps } from '../../language/expression/steps.ts';
import { type Automaton, automatonTerm } from '../../language/regular/automaton.ts';
import { buildAutomatonSteps } from '../../language/regular/build-automaton.ts';
import { restrictLength } from '../../language/regular/lengths.ts';
import { patternTerm } from '../../language/regular/parse-pattern.ts';
import { UnsupportedPattern } from '../../language/regular/pattern-dialects.ts';
import { type Term, Terms } from '../../language/regular/terms.ts';

const ownBudget = 400_000;
/** Steps on automata are cheaper than those on schemas and rules: 2 to this power cost one step. */
const cheaper = 2;
const remembered = 1000;
const known = new Map<string, KnownAutomaton>();

/** An automaton, and the cost of building it or of finding it too large. */
export interface KnownAutomaton {
  readonly automaton: Automaton | 'too large';
  readonly steps: number;
}

/** The automaton that `make` builds, cached under `key`. */
export function knownAutomaton(
  key: string,
  whole: StepBudget,
  make: (budget: StepBudget) => Automaton,
): KnownAutomaton {
  const found = known.get(key);
  if (found !== undefined) return found;
  return remember(key, build(whole, make));
}

/** The budget of one automaton: its own, so that the cache depends on nothing else. */
function budgetWithin(whole: StepBudget): StepBudget {
  return new StepBudget(whole.isTrial ? Math.min(ownBudget, whole.left << cheaper) : ownBudget);
}

/** What exceeds its own budget is too large; what exceeds a trial is not known. Throws `BudgetExceeded` for that. */
function tooLargeWithin(whole: StepBudget, error: unknown): 'too large' {
  if (!(error instanceof BudgetExceeded) || whole.isTrial) throw error;
  return 'too large';
}

function remember(key: string, made: KnownAutomaton): KnownAutomaton {
  if (known.size < remembered) known.set(key, made);
  return made;
}

function build(whole: StepBudget, make: (budget: StepBudget) => Automaton): KnownAutomaton {
  const budget = budgetWithin(whole);
  try {
    return { automaton: make(budget), steps: budget.spent >> cheaper };
  } catch (error) {
    return { automaton: tooLargeWithin(whole, error), steps: budget.spent >> cheaper };
  }
}

/** The automaton of the texts that contain a match of `pattern`, in steps. Throws `UnsupportedPattern`. */
function* patternAutomaton(pattern: string, whole: StepBudget): Steps<KnownAutomaton> {
  const key = `pattern ${pattern}`;
  const found = known.get(key);
  if (found !== undefined) return found;
  const budget = budgetWithin(whole);
  // To read it takes about a step for each character, and cannot stop in between.
  whole.foresee(pattern.length);
  let automaton: KnownAutomaton['automaton'];
  try {
    budget.spend(pattern.length);
    const own = new Terms(budget);
    automaton = yield* buildAutomatonSteps(own, patternTerm(own, pattern), budget);
  } catch (error) {
    automaton = tooLargeWithin(whole, error);
  }
  return remember(key, { automaton, steps: budget.spent >> cheaper });
}

/**
 * Builds the automata of the patterns in `schema`, so that compiling it finds them built: it cannot stop within a rule.
 * What is unsupported is left to the compiler. Throws `BudgetExceeded`.
 */
export function* preparePatterns(schema: JsonSchema, budget: StepBudget): Steps<void> {
  for (const pattern of patternsIn(schema)) {
    try {
      const { steps } = yield* patternAutomaton(pattern, budget);
      budget.spend(steps);
    } catch (error) {
      if (!(error instanceof UnsupportedPattern)) throw error;
    }
    yield;
  }
}

/** Where keywords may stand, each value of `pattern` and each key of `patternProperties`. */
function patternsIn(schema: JsonSchema): ReadonlySet<string> {
  const patterns = new Set<string>();
  const places: unknown[] = [schema];
  for (let place = places.pop(); place !== undefined; place = places.pop()) {
    if (typeof place !== 'object' || place === null) continue;
    for (const [key, value] of Object.entries(place)) {
      if (key === 'pattern' && typeof value === 'string') patterns.add(value);
      if (key === 'patternProperties' && isObject(value))
        for (const pattern of Object.keys(value)) patterns.add(pattern);
      places.push(value);
    }
  }
  return patterns;
}

/** The texts that contain a match of `pattern`, charged to `budget`. Throws `UnsupportedPattern`. */
export function patternLanguage(terms: Terms, pattern: string, budget: StepBudget): Term {
  const { automaton, steps } = finish(patternAutomaton(pattern, budget));
  budget.spend(steps);
  if (automaton === 'too large') budget.foresee(pattern.length);
  // A language too large by itself may be small in conjunction with other conditions.
  return automaton === 'too large' ? patternTerm(terms, pattern) : automatonTerm(terms, automaton);
}

const limited = new WeakMap<Automaton, Map<string, KnownAutomaton>>();

/** A cached `restrictLength` of a cached automaton. */
export function knownRestriction(
  automaton: Automaton,
  min: number,
  max: number | null,
  whole: StepBudget,
): KnownAutomaton {
  const byRange = limited.get(automaton) ?? new Map<string, KnownAutomaton>();
  limited.set(automaton, byRange);
  const key = `${min} ${max}`;
  const made = byRange.get(key) ?? build(whole, (budget) => restrictLength(automaton, min, max, budget));
  if (byRange.size < 10) byRange.set(key, made);
  return made;
}
