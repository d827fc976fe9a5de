/** Tests strings against patterns, as the grammar reads patterns. */
import { unless } from '../../format/error-class.ts';
import { BudgetExceeded, StepBudget } from '../../language/expression/budget.ts';
import { patternTerm } from '../../language/regular/parse-pattern.ts';
import { UnsupportedPattern } from '../../language/regular/pattern-dialects.ts';
import { type Term, Terms } from '../../language/regular/terms.ts';

/** Tells whether a text contains a match of a pattern. */
export type TextTest = (text: string) => boolean;

/** Steps after which what was derived for earlier texts is dropped. */
const maxKept = 200_000;

/**
 * A test for `pattern`. An automaton may have more states than there are texts to test, so only those are derived that a
 * text reaches: the time is linear in its length. Patterns that no automaton can express use JavaScript's own engine; a
 * model's arguments are short enough for it. Throws `SyntaxError` for an invalid pattern.
 */
export function patternTest(pattern: string): TextTest {
  let derived = derive(pattern);
  if (derived === null) return regularTest(pattern);
  return (text) => {
    if (derived === null || derived.budget.spent > maxKept) derived = derive(pattern);
    try {
      return derived?.terms.matches(derived.term, text.toWellFormed()) ?? false;
    } catch (error) {
      if (error instanceof BudgetExceeded) return regularTest(pattern)(text);
      throw error;
    }
  };
}

interface Derived {
  readonly terms: Terms;
  readonly term: Term;
  readonly budget: StepBudget;
}

function derive(pattern: string): Derived | null {
  const budget = new StepBudget(Number.POSITIVE_INFINITY);
  const terms = new Terms(budget);
  const term = unless([UnsupportedPattern, BudgetExceeded], () => patternTerm(terms, pattern));
  return term === null ? null : { terms, term, budget };
}

function regularTest(pattern: string): TextTest {
  const expression = expressionOf(pattern);
  return (text) => expression.test(text);
}

function expressionOf(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u');
  } catch {
    return new RegExp(pattern);
  }
}
