/** The exponents that numbers may have, as automata over digits. */
import { StepBudget } from '../../language/expression/budget.ts';
import { buildAutomaton } from '../../language/regular/build-automaton.ts';
import { setHas } from '../../language/regular/character-set.ts';
import { patternTerm } from '../../language/regular/parse-pattern.ts';
import { Terms } from '../../language/regular/terms.ts';

/**
 * `large`: from 16 on, where Python's notation begins; `small`: from 5 on. Both end at 307, where a double has an end.
 * `any`: two digits, so that no text reads as infinite.
 */
const patterns = {
  large: '^(1[6-9]|[2-9]\\d|[12]\\d\\d|30[0-7])$',
  small: '^(0?[5-9]|[1-9]\\d|[12]\\d\\d|30[0-7])$',
  any: '^\\d\\d?$',
};

/** A kind of exponents. */
export type ExponentKind = keyof typeof patterns;

/** An automaton over digits: the state after each digit, -1 if there is none; the first state is the start. */
export type ExponentTable = readonly {
  readonly accepts: boolean;
  readonly next: readonly number[];
}[];

const known = new Map<ExponentKind, ExponentTable>();

/** The exponents of one kind. */
export function exponentTable(kind: ExponentKind): ExponentTable {
  const table = known.get(kind) ?? makeTable(patterns[kind]);
  known.set(kind, table);
  return table;
}

function makeTable(pattern: string): ExponentTable {
  const budget = new StepBudget(Number.POSITIVE_INFINITY);
  const terms = new Terms(budget);
  const { states } = buildAutomaton(terms, patternTerm(terms, pattern), budget);
  return states.map(({ accepts, edges }) => ({
    accepts,
    next: Array.from('0123456789', (digit) => {
      const edge = edges.find(([set]) => setHas(set, digit.charCodeAt(0)));
      return edge === undefined ? -1 : edge[1];
    }),
  }));
}
