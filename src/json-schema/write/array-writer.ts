/** Writes array shapes as expressions: the first items, then the rest, counting for `contains`. */
import { alternatives } from '../../language/expression/alternatives.ts';
import { NoValueLeft } from '../../language/expression/budget.ts';
import { choice, type Expression, literal, repeat, sequence } from '../../language/expression/expression.ts';
import { countedRepeat } from '../../language/regular/counted.ts';
import { ArraySearch, type ItemProgress, progressKey } from '../plan/array-search.ts';
import type { InstanceLocation } from '../plan/instance-locations.ts';
import type { Constraint } from '../shapes/constraints.ts';
import type { ArrayShape } from '../shapes/shapes.ts';
import type { ArrayWriting } from './array-writing.ts';
import { alwaysDiffer, writeDistinct } from './distinct-items.ts';
import { blankOf } from './lenient-json.ts';
import { type ArrayNotation, indented } from './syntax.ts';

/** Writes an array of `shape`, which is satisfiable. */
export function writeArray(
  shape: ArrayShape,
  location: InstanceLocation,
  hint: string,
  margin: number,
  constraint: Constraint,
  writing: ArrayWriting,
): Expression {
  const { compilation } = writing;
  if (shape.unique && (shape.max === null || shape.max > 1)) {
    if (!alwaysDiffer(shape, writing)) {
      const distinct = writeDistinct(shape, constraint, writing, margin);
      if (distinct !== null) return distinct;
      compilation.reportConstraint(constraint, 'uniqueItems', 'no grammar compares items', 'checked');
    }
  }
  const max = compilation.countable(shape.max, constraint, 'maxItems');
  return new ArrayWriter({ ...shape, max }, location, hint, margin, writing).array();
}

class ArrayWriter {
  readonly #shape: ArrayShape;
  readonly #location: InstanceLocation;
  readonly #hint: string;
  readonly #margin: number;
  readonly #writing: ArrayWriting;
  readonly #notation: ArrayNotation;
  readonly #blank: Expression;
  readonly #search: ArraySearch;
  readonly #key: string;

  constructor(
    shape: ArrayShape,
    location: InstanceLocation,
    hint: string,
    margin: number,
    writing: ArrayWriting,
  ) {
    const { compilation } = writing;
    this.#shape = shape;
    this.#location = location;
    this.#hint = hint;
    this.#margin = margin;
    this.#writing = writing;
    this.#notation = indented(writing.syntax.array, writing.syntax.indent, margin);
    this.#blank = blankOf(writing.syntax, writing.rules);
    const uniform = Math.max(shape.prefix.length, compilation.locations.tupleLength(location));
    this.#search = new ArraySearch(shape, uniform, compilation.constraints, (constraint) =>
      compilation.isSatisfiable(constraint),
    );
    this.#key = writing.rules.freshKey('array');
  }

  array(): Expression {
    const { start } = this.#search;
    const { open, empty } = this.#notation;
    const options: Expression[] = [];
    if (this.#search.mayEnd(start)) options.push(literal(empty));
    if (this.#search.mayGoOn(start)) options.push(sequence(literal(open), this.#blank, this.#items(start)));
    // With high counts, the satisfiability check does not weigh several `contains` against each other.
    if (options.length === 0) throw new NoValueLeft();
    return alternatives(...options);
  }

  /** One item and everything that follows. */
  #items(progress: ItemProgress): Expression {
    if (this.#search.isUniform(progress)) return this.#uniformItems(progress);
    return this.#writing.rules.named(`${this.#key} ${progressKey(progress)}`, `${this.#hint}-items`, () => {
      const options = this.#search.cases(progress).flatMap(([constraint, next]) => {
        if (!this.#search.mayEnd(next) && !this.#search.mayGoOn(next)) return [];
        return [sequence(this.#item(constraint, progress.index), this.#after(next))];
      });
      return choice(...options);
    });
  }

  #item(constraint: Constraint, index: number): Expression {
    const { itemOpen, itemClose } = this.#notation;
    const location = this.#writing.compilation.locations.item(this.#location, index);
    const inner = this.#writing.innerMargin(this.#margin);
    const item = this.#writing.closed(constraint, location, `${this.#hint}-item`, inner, itemClose);
    return sequence(literal(itemOpen), item);
  }

  #after(progress: ItemProgress): Expression {
    const { separator, close } = this.#notation;
    const options: Expression[] = [];
    if (this.#search.mayGoOn(progress))
      options.push(sequence(literal(separator), this.#blank, this.#items(progress)));
    if (this.#search.mayEnd(progress)) options.push(sequence(this.#blank, literal(close)));
    return alternatives(...options);
  }

  #uniformItems({ index }: ItemProgress): Expression {
    const { separator, close } = this.#notation;
    const { rules } = this.#writing;
    const { min, max } = this.#shape;
    const item = this.#item(this.#shape.rest, index);
    const more = rules.add(`${this.#hint}-items`, sequence(literal(separator), this.#blank, item));
    const least = Math.max(0, min - index - 1);
    const most = max === null ? null : max - index - 1;
    const rest = least === 0 && most === null ? repeat(more) : countedRepeat(more, least, most, rules);
    return sequence(item, rest, this.#blank, literal(close));
  }
}
