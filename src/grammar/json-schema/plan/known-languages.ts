/**
 * Automata of patterns, formats and numbers, remembered across schemas. Each is made within a budget of its
 * own, so that remembering changes no outcome.
 */

import { BudgetExceeded, StepBudget } from '../../expression/budget.ts';
import { type Automaton, automatonTerm } from '../../regular/automaton.ts';
import { buildAutomaton } from '../../regular/build-automaton.ts';
import { restrictLength } from '../../regular/lengths.ts';
import { patternTerm } from '../../regular/parse-pattern.ts';
import { type Term, Terms } from '../../regular/terms.ts';
import { formatPattern } from '../document/formats.ts';

const ownBudget = 400_000;
const remembered = 1000;
const known = new Map<string, Automaton | 'too large'>();

/** The automaton that `make` makes under `key`, or `too large`. */
export function knownAutomaton(
  key: string,
  make: (budget: StepBudget) => Automaton,
): Automaton | 'too large' {
  const found = known.get(key);
  if (found !== undefined) return found;
  const made = build(make);
  if (known.size < remembered) known.set(key, made);
  return made;
}

function build(make: (budget: StepBudget) => Automaton): Automaton | 'too large' {
  try {
    return make(new StepBudget(ownBudget));
  } catch (error) {
    if (error instanceof BudgetExceeded) return 'too large';
    throw error;
  }
}

/** The automaton of the texts that contain a match of `pattern`. Throws `UnsupportedPattern`. */
export function patternAutomaton(pattern: string): Automaton | 'too large' {
  return knownAutomaton(`pattern ${pattern}`, (budget) => {
    const own = new Terms(budget);
    return buildAutomaton(own, patternTerm(own, pattern), budget);
  });
}

/** The texts that contain a match of `pattern`. Throws `UnsupportedPattern`. */
export function patternLanguage(terms: Terms, pattern: string): Term {
  const automaton = patternAutomaton(pattern);
  // What is too large alone may be small together with other conditions.
  return automaton === 'too large' ? patternTerm(terms, pattern) : automatonTerm(terms, automaton);
}

/** The language of a format, `null` for a name that asserts nothing, or `unsupported`. */
export function formatLanguage(terms: Terms, format: string): Term | null | 'unsupported' {
  const pattern = formatPattern(format);
  return pattern === null || pattern === 'unsupported' ? pattern : patternLanguage(terms, pattern);
}

const limited = new WeakMap<Automaton, Map<string, Automaton | 'too large'>>();

/** `restrictLength` of an automaton that is remembered, remembered. Throws `BudgetExceeded`. */
export function knownRestriction(automaton: Automaton, min: number, max: number | null): Automaton {
  const byRange = limited.get(automaton) ?? new Map<string, Automaton | 'too large'>();
  limited.set(automaton, byRange);
  const key = `${min} ${max}`;
  const made = byRange.get(key) ?? restrict(automaton, min, max);
  if (byRange.size < 10) byRange.set(key, made);
  if (made === 'too large') throw new BudgetExceeded('automaton states times length');
  return made;
}

function restrict(automaton: Automaton, min: number, max: number | null): Automaton | 'too large' {
  try {
    return restrictLength(automaton, min, max, new StepBudget(8 * ownBudget));
  } catch (error) {
    if (error instanceof BudgetExceeded) return 'too large';
    throw error;
  }
}
