/** Tests strings against patterns, as the grammar reads patterns. */
import { type AST, RegExpParser } from '@eslint-community/regexpp';
import { unless } from '../../format/error-class.ts';
import { matchesSomewhere } from '../../language/backtracking/bounded-search.ts';
import { compilePattern } from '../../language/backtracking/compile-pattern.ts';
import { BudgetExceeded, StepBudget } from '../../language/expression/budget.ts';
import { patternTerm } from '../../language/regular/parse-pattern.ts';
import { toEcmaScript, UnsupportedPattern } from '../../language/regular/pattern-dialects.ts';
import { type Term, Terms } from '../../language/regular/terms.ts';

/** Tells whether a text contains a match of a pattern. */
export type TextTest = (text: string) => boolean;

/** Steps after which what was derived for earlier texts is dropped. */
const maxKept = 200_000;

/**
 * A test for `pattern`. An automaton may have more states than there are texts to test, so only those are derived that a
 * text reaches: the time is linear in its length. For patterns that no automaton can express, and texts with NUL or half
 * a pair, paths are tried within a budget, and the test throws `BudgetExceeded` for a text that takes more. Throws
 * `SyntaxError` for an invalid pattern, and `BudgetExceeded` for one of too many instructions.
 */
export function patternTest(pattern: string): TextTest {
  let derived = derive(pattern);
  if (derived === null) return searchTest(pattern);
  let search: TextTest | null = null;
  return (text) => {
    if (hasUnwritable(text)) {
      search ??= searchTest(pattern);
      return search(text);
    }
    if (derived === null || derived.budget.spent > maxKept) derived = derive(pattern);
    try {
      return derived?.terms.matches(derived.term, text) ?? false;
    } catch (error) {
      if (error instanceof BudgetExceeded) return searchTest(pattern)(text);
      throw error;
    }
  };
}

/** Whether a text has characters that no grammar writes, and so no automaton reads: NUL, and halves of pairs. */
function hasUnwritable(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed();
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

/** A test for a pattern that no automaton expresses. */
function searchTest(pattern: string): TextTest {
  const source = unless([UnsupportedPattern], () => toEcmaScript(pattern)) ?? pattern;
  const { read, unicode } = parse(source);
  const program = compilePattern(read, unicode);
  return (text) => matchesSomewhere(program, text);
}

function parse(source: string): { readonly read: AST.Pattern; readonly unicode: boolean } {
  const parser = new RegExpParser({ ecmaVersion: 2025 });
  const read = unless([SyntaxError], () => parser.parsePattern(source, 0, source.length, { unicode: true }));
  return read === null ? { read: parser.parsePattern(source), unicode: false } : { read, unicode: true };
}
