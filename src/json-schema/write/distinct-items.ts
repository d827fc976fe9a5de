/** Arrays of distinct items from a few scalars: each set of used values is a rule. */
import { alternatives } from '../../language/expression/alternatives.ts';
import { NoValueLeft } from '../../language/expression/budget.ts';
import { type Expression, literal, sequence } from '../../language/expression/expression.ts';
import { wordsOf } from '../../language/regular/words.ts';
import type { Constraint } from '../shapes/constraints.ts';
import type { ArrayShape, NumberShape, Shape, StringShape } from '../shapes/shapes.ts';
import type { ArrayWriting } from './array-writing.ts';
import { blankOf } from './lenient-json.ts';
import { indented } from './syntax.ts';
import { reportUnwritten } from './unwritten-texts.ts';

const maxValues = 200;
/** Maximum number of sets of values to distinguish: all of nine values but the whole. */
const maxSets = 511;
/** Maximum number of items whose possible values are compared pairwise. */
const maxCompared = 12;

/** Whether no two items of an array of `shape` can be equal. */
export function alwaysDiffer(shape: ArrayShape, writing: ArrayWriting): boolean {
  const { compilation } = writing;
  const count = longest(shape, writing);
  if (count > maxCompared) return false;
  const constraints = Array.from({ length: count }, (_, index) => constraintAt(shape, index));
  return constraints.every((constraint, index) =>
    constraints
      .slice(index + 1)
      .every((other) => !compilation.isSatisfiable(compilation.constraints.and(constraint, other))),
  );
}

/** Writes the array; `null` if some of its items have too many values. */
export function writeDistinct(
  shape: ArrayShape,
  constraint: Constraint,
  writing: ArrayWriting,
  margin: number,
): Expression | null {
  if (shape.contains.length > 0) return null;
  const count = longest(shape, writing);
  const places = Math.min(count, shape.prefix.length + 1);
  const byPlace = Array.from({ length: places }, (_, index) =>
    fewValues(constraintAt(shape, index), writing),
  );
  const known = byPlace.filter((values) => values !== null);
  if (known.length < byPlace.length) return null;
  const texts = [...new Set(known.flat())].sort();
  const most = Math.min(count, texts.length);
  if (shape.min > most) throw new NoValueLeft();
  const free = countOfFree(texts.length, most);
  if (free < most && shape.prefix.length > 0) return null;
  if (free < most) {
    const reason = `too many values for every order: after the first ${free}, items come in the order of their characters`;
    writing.compilation.reportConstraint(constraint, 'uniqueItems', reason, 'narrowed');
  }
  const numbered = known.map((values) => values.map((text) => texts.indexOf(text)));
  return new DistinctWriter(
    { texts, byPlace: numbered, min: shape.min, most, free },
    writing,
    margin,
  ).array();
}

/** The greatest possible number of items. */
function longest(shape: ArrayShape, { compilation }: ArrayWriting): number {
  const most = shape.max ?? Number.POSITIVE_INFINITY;
  return compilation.isSatisfiable(shape.rest) ? most : Math.min(most, shape.prefix.length);
}

function constraintAt(shape: ArrayShape, index: number): Constraint {
  return shape.prefix[index] ?? shape.rest;
}

/** How many of `most` items with this many values can come in any order. */
function countOfFree(values: number, most: number): number {
  let sets = 1;
  let ofThisSize = 1;
  for (let size = 1; size < most; size += 1) {
    ofThisSize = (ofThisSize * (values - size + 1)) / size;
    sets += ofThisSize;
    if (sets > maxSets) return size;
  }
  return most;
}

interface DistinctItems {
  /** All values, as written. */
  readonly texts: readonly string[];
  /** For each item, the indexes of its possible values; the last list is for all later items. */
  readonly byPlace: readonly (readonly number[])[];
  readonly min: number;
  readonly most: number;
  /** Number of items in any order; later ones must have ascending indexes. */
  readonly free: number;
}

class DistinctWriter {
  readonly #items: DistinctItems;
  readonly #writing: ArrayWriting;
  readonly #margin: number;
  readonly #key: string;
  readonly #alive = new Map<string, boolean>();

  constructor(items: DistinctItems, writing: ArrayWriting, margin: number) {
    this.#items = items;
    this.#writing = writing;
    this.#margin = margin;
    this.#key = writing.rules.freshKey('distinct');
  }

  array(): Expression {
    if (!this.#mayEnd(0) && !this.#mayGoOn([], 0)) throw new NoValueLeft();
    return this.#rest([], 0);
  }

  #mayEnd(count: number): boolean {
    return count >= this.#items.min;
  }

  /** Values for the next item that can lead to an end. `used` holds the used values that matter. */
  #open(used: readonly number[], count: number): readonly number[] {
    const { byPlace, most, free } = this.#items;
    if (count >= most) return [];
    const values = byPlace[Math.min(count, byPlace.length - 1)] ?? [];
    const last = used.at(-1) ?? -1;
    return values.filter((value) => (count < free ? !used.includes(value) : value > last));
  }

  /** The used values, sorted; after the free items, only the greatest matters. */
  #with(used: readonly number[], count: number, value: number): readonly number[] {
    const all = [...used, value].sort((a, b) => a - b);
    return count + 1 < this.#items.free ? all : all.slice(-1);
  }

  #mayGoOn(used: readonly number[], count: number): boolean {
    const key = `${count} ${used.join()}`;
    const known = this.#alive.get(key);
    if (known !== undefined) return known;
    const alive = this.#next(used, count).length > 0;
    this.#alive.set(key, alive);
    return alive;
  }

  #next(used: readonly number[], count: number): readonly number[] {
    return this.#open(used, count).filter((value) => this.#leadsOn(used, count, value));
  }

  /** Whether an end can be reached after `value`. */
  #leadsOn(used: readonly number[], count: number, value: number): boolean {
    const { texts, min, free } = this.#items;
    if (this.#mayEnd(count + 1)) return true;
    if (count + 1 < free) return this.#mayGoOn(this.#with(used, count, value), count + 1);
    // Only greater ones may follow, and each of them may.
    return texts.length - 1 - Math.max(used.at(-1) ?? 0, value) >= min - (count + 1);
  }

  #rest(used: readonly number[], count: number): Expression {
    const { array, indent } = this.#writing.syntax;
    const { open, close, separator } = indented(array, indent, this.#margin);
    const blank = blankOf(this.#writing.syntax, this.#writing.rules);
    const lead = sequence(literal(count === 0 ? open : separator), blank, literal(array.itemOpen));
    const more = this.#next(used, count).map((value) =>
      sequence(
        lead,
        literal(this.#items.texts[value] + array.itemClose),
        this.#after(this.#with(used, count, value), count + 1),
      ),
    );
    const closed = count === 0 ? literal(array.empty) : sequence(blank, literal(close));
    const end = this.#mayEnd(count) ? [closed] : [];
    return alternatives(...more, ...end);
  }

  #after(used: readonly number[], count: number): Expression {
    const { free, min, most } = this.#items;
    // After the free items, rules differ only by counts that still matter.
    const counted = count < free || most < this.#items.texts.length || count < min ? count : 'later';
    return this.#writing.rules.named(`${this.#key} ${counted} ${used.join()}`, 'distinct', () =>
      this.#rest(used, count),
    );
  }
}

/** The possible values of an item, as written. */
function fewValues(constraint: Constraint, writing: ArrayWriting): readonly string[] | null {
  const { compilation } = writing;
  const found: string[] = [];
  for (const shapes of compilation.shapes(constraint).values()) {
    for (const each of compilation.satisfiable(shapes)) {
      if (each.type === 'string') reportLost(each, constraint, writing);
      const values = valuesOf(each, writing);
      if (values === null || found.length + values.length > maxValues) return null;
      found.push(...values);
    }
  }
  return [...new Set(found)];
}

function valuesOf(shape: Shape, writing: ArrayWriting): readonly string[] | null {
  const { syntax, compilation } = writing;
  switch (shape.type) {
    case 'null':
      return [syntax.null];
    case 'boolean':
      return shape.values.map((value) => (value ? syntax.true : syntax.false));
    case 'number':
      return hasListedNumbers(shape) ? wordsOf(compilation.languages.numbers([shape]), maxValues) : null;
    case 'string':
      return stringsOf(shape, writing);
    default:
      return null;
  }
}

/** Whether each number has one spelling and there may be few. */
function hasListedNumbers({ only, integer, min, max }: NumberShape): boolean {
  return only !== null || (integer === true && min !== null && max !== null);
}

function reportLost(shape: StringShape, constraint: Constraint, { syntax, compilation }: ArrayWriting): void {
  const { string, array } = syntax;
  if (string.spelling !== null) return;
  reportUnwritten(compilation, constraint, [shape], string.close === '' ? array.itemClose : string.close);
}

/** The strings of `shape`, each in the first notation that can hold it; others are omitted. */
function stringsOf(shape: StringShape, { syntax, compilation }: ArrayWriting): readonly string[] | null {
  const { string, alternativeString: other, array } = syntax;
  const words = wordsOf(compilation.languages.strings(shape), maxValues);
  return (
    words?.flatMap((word) => {
      const takesOther = other?.spelling === null && other.when?.some((text) => word.includes(text)) === true;
      const { open, close, spelling } = takesOther ? other : string;
      if (spelling !== null) return [open + spelling.text(word) + close];
      return word.includes(close === '' ? array.itemClose : close) ? [] : [open + word + close];
    }) ?? null
  );
}
