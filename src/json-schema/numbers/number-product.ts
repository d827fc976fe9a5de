/** The product automaton of number readers. */

import { BudgetExceeded, type StepBudget } from '../../language/expression/budget.ts';
import type { Automaton } from '../../language/regular/automaton.ts';
import { maxAutomatonStates } from '../../language/regular/build-automaton.ts';
import { charactersOf } from '../../language/regular/character-set.ts';
import { minimiseTable } from '../../language/regular/minimise.ts';
import { TupleTable } from '../../language/regular/tuple-table.ts';
import { dead, type NumberReader, numberSymbols } from './number-readers.ts';

/** Texts that all `readers` accept after the sign. */
export interface NumberAlternative {
  readonly negative: boolean;
  readonly readers: readonly NumberReader[];
}

const minus = numberSymbols.indexOf('-');
/** Maximum number of states before minimisation. */
const maxProductStates = 4 * maxAutomatonStates;

/** The minimal automaton of the union of `alternatives`. Throws `BudgetExceeded`. */
export function multiplyReaders(alternatives: readonly NumberAlternative[], budget: StepBudget): Automaton {
  const groups = symbolGroups(alternatives);
  const product = new NumberProduct(alternatives);
  const tuples = new TupleTable();
  const tuple = product.start();
  const next = product.start();
  tuples.number(tuple);
  const targets: number[] = [];
  const marks: number[] = [];
  for (let state = 0; state < tuples.size; state += 1) {
    if (state >= maxProductStates) throw new BudgetExceeded('automaton states');
    budget.spend(1 + (tuple.length >> 2));
    for (let at = 0; at < tuple.length; at += 1) tuple[at] = tuples.value(state, at);
    marks.push(product.accepts(tuple) ? 1 : 0);
    for (const { first } of groups) targets.push(product.step(tuple, first, next) ? tuples.number(next) : -1);
  }
  const atoms = groups.map(({ characters }) => charactersOf(characters));
  const table = { atoms, marks: Int32Array.from(marks), targets: Int32Array.from(targets) };
  const automaton = minimiseTable(table, budget);
  if (automaton.states.length > maxAutomatonStates) throw new BudgetExceeded('automaton states');
  return automaton;
}

/** Consecutive symbols that no reader distinguishes. */
interface SymbolGroup {
  readonly first: number;
  readonly characters: string;
}

/** Most numbers are distinguished by few digits. */
function symbolGroups(alternatives: readonly NumberAlternative[]): readonly SymbolGroup[] {
  const starts = new Set(
    alternatives.flatMap(({ readers }) => readers.flatMap(({ distinguishes }) => distinguishes)),
  );
  const groups: { first: number; characters: string }[] = [];
  for (const [symbol, character] of Array.from(numberSymbols).entries()) {
    const group = groups.at(-1);
    const apart = starts.has(symbol) || (symbol > 9 && character !== 'E');
    if (group === undefined || apart) groups.push({ first: symbol, characters: character });
    else group.characters += character;
  }
  return groups;
}

/**
 * A state is a tuple: whether anything was read, then the state of each reader. If one reader of an alternative dies,
 * so does the alternative.
 */
class NumberProduct {
  readonly #alternatives: readonly NumberAlternative[];
  readonly #length: number;

  constructor(alternatives: readonly NumberAlternative[]) {
    this.#alternatives = alternatives;
    this.#length = alternatives.reduce((all, { readers }) => all + readers.length, 1);
  }

  start(): Int32Array {
    return new Int32Array(this.#length);
  }

  accepts(tuple: Int32Array): boolean {
    let at = 1;
    for (const { readers } of this.#alternatives) {
      const first = at;
      at += readers.length;
      if (tuple[0] === 0 || tuple[first] === dead) continue;
      if (readers.every((reader, index) => reader.accepts(tuple[first + index] ?? dead))) return true;
    }
    return false;
  }

  /** Writes the state after `symbol` to `next`; returns whether any alternative is alive. */
  step(tuple: Int32Array, symbol: number, next: Int32Array): boolean {
    const signed = tuple[0] === 0 && symbol === minus;
    let alive = false;
    let at = 1;
    next[0] = 1;
    for (const { negative, readers } of this.#alternatives) {
      const isAlive =
        tuple[0] === 0 && negative !== signed ? false : signed || stepAll(readers, tuple, symbol, next, at);
      if (!isAlive) next.fill(dead, at, at + readers.length);
      else if (signed) next.fill(0, at, at + readers.length);
      alive ||= isAlive;
      at += readers.length;
    }
    return alive;
  }
}

function stepAll(
  readers: readonly NumberReader[],
  tuple: Int32Array,
  symbol: number,
  next: Int32Array,
  first: number,
): boolean {
  if (tuple[first] === dead) return false;
  for (let index = 0; index < readers.length; index += 1) {
    const state = readers[index]?.step(tuple[first + index] ?? dead, symbol) ?? dead;
    if (state === dead) return false;
    next[first + index] = state;
  }
  return true;
}
