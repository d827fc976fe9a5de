/** Array shapes as expressions: the first items, then the rest, counting what `contains` asks for. */
import { alternatives } from '../alternatives.ts';
import { choice, type Expression, literal, repeat, sequence } from '../expression.ts';
import { BudgetExceeded, DeadEnd } from '../regular/budget.ts';
import { countedRepeat } from '../regular/counted.ts';
import { alwaysDiffer, writeDistinct } from './distinct-items.ts';
import type { Place } from './places.ts';
import type { ArrayShape, Contained } from './shapes.ts';
import type { State } from './states.ts';
import type { ArrayNotation } from './syntax.ts';
import { indented, type ValueWriter } from './value-writer.ts';

/** An array of `shape`, which some value is of. */
export function writeArray(
  shape: ArrayShape,
  place: Place,
  hint: string,
  margin: number,
  state: State,
  writer: ValueWriter,
): Expression {
  const { compilation } = writer;
  if (shape.unique && (shape.max === null || shape.max > 1)) {
    if (!alwaysDiffer(shape, writer)) {
      const distinct = writeDistinct(shape, state, writer, margin);
      if (distinct !== null) return distinct;
      compilation.reportState(state, 'uniqueItems', 'items are not compared');
    }
  }
  const max = compilation.countable(shape.max, state, 'maxItems');
  return new ArrayWriter({ ...shape, max }, place, hint, margin, writer).array();
}

/** How far the items have come. Counts stop where more make no difference. */
interface Progress {
  readonly index: number;
  /** Items that were of each `contains`. */
  readonly found: readonly number[];
}

const maxProgress = 3000;

class ArrayWriter {
  readonly #shape: ArrayShape;
  readonly #place: Place;
  readonly #hint: string;
  readonly #margin: number;
  readonly #writer: ValueWriter;
  readonly #notation: ArrayNotation;
  readonly #contains: readonly Contained[];
  /** From this index on all items are alike. */
  readonly #uniform: number;
  readonly #key: string;
  readonly #alive = new Map<string, boolean>();

  constructor(shape: ArrayShape, place: Place, hint: string, margin: number, writer: ValueWriter) {
    this.#shape = shape;
    this.#place = place;
    this.#hint = hint;
    this.#margin = margin;
    this.#writer = writer;
    this.#notation = indented(writer.syntax.array, writer.syntax.indent, margin);
    this.#contains = shape.contains.filter(({ min, max }) => min > 0 || max !== null);
    this.#uniform = Math.max(shape.prefix.length, writer.compilation.places.tupleLength(place));
    this.#key = writer.rules.freshKey('array');
  }

  array(): Expression {
    const start: Progress = { index: 0, found: this.#contains.map(() => 0) };
    const { open, empty } = this.#notation;
    const options: Expression[] = [];
    if (this.#mayEnd(start)) options.push(literal(empty));
    if (this.#mayGoOn(start)) options.push(sequence(literal(open), this.#items(start)));
    // Productivity does not weigh several `contains` against each other; the search above does.
    if (options.length === 0) throw new DeadEnd();
    return alternatives(...options);
  }

  #productive(state: State): boolean {
    return this.#writer.compilation.isProductive(state);
  }

  #state(index: number): State {
    return this.#shape.prefix[index] ?? this.#shape.rest;
  }

  #mayEnd({ index, found }: Progress): boolean {
    return (
      index >= this.#shape.min &&
      this.#contains.every(
        ({ min, max }, at) => (found[at] ?? 0) >= min && (max === null || (found[at] ?? 0) <= max),
      )
    );
  }

  /** Whether one more item can lead to an end. */
  #mayGoOn(progress: Progress): boolean {
    if (this.#isUniform(progress)) {
      const { max, rest } = this.#shape;
      return (max === null || progress.index < max) && this.#productive(rest);
    }
    const key = progressKey(progress);
    const known = this.#alive.get(key);
    if (known !== undefined) return known;
    if (this.#alive.size > maxProgress) throw new BudgetExceeded('counts in an array');
    this.#alive.set(key, false);
    const alive = this.#cases(progress).some(([, next]) => this.#mayEnd(next) || this.#mayGoOn(next));
    this.#alive.set(key, alive);
    return alive;
  }

  /** What the next item may be, and what progress it makes. */
  #cases({ index, found }: Progress): readonly (readonly [State, Progress])[] {
    const { max, min } = this.#shape;
    if (max !== null && index >= max) return [];
    const cap = Math.max(min, max ?? 0, this.#uniform);
    const next = Math.min(index + 1, cap);
    let cases: readonly (readonly [State, readonly number[]])[] = [[this.#state(index), found]];
    this.#contains.forEach((contained, at) => {
      cases = cases.flatMap(([state, counts]) => this.#split(state, counts, contained, at));
    });
    return cases
      .filter(([state]) => this.#productive(state))
      .map(([state, counts]) => [state, { index: next, found: counts }] as const);
  }

  #split(
    state: State,
    counts: readonly number[],
    contained: Contained,
    at: number,
  ): readonly (readonly [State, readonly number[]])[] {
    const { states } = this.#writer.compilation;
    const count = counts[at] ?? 0;
    if (contained.max === null && count >= contained.min) return [[state, counts]];
    const without = states.not(contained.state);
    const limit = contained.max === null ? contained.min : contained.max + 1;
    const more = counts.map((each, index) => (index === at ? Math.min(each + 1, limit) : each));
    const split: (readonly [State, readonly number[]])[] = [];
    if (contained.max === null || count < contained.max)
      split.push([states.and(state, contained.state), more]);
    if (without !== null) split.push([states.and(state, without), counts]);
    return split;
  }

  /** One item and all that follows it. */
  #items(progress: Progress): Expression {
    if (this.#isUniform(progress)) return this.#uniformItems(progress);
    return this.#writer.rules.named(`${this.#key} ${progressKey(progress)}`, `${this.#hint}-items`, () => {
      const options = this.#cases(progress).flatMap(([state, next]) => {
        if (!this.#mayEnd(next) && !this.#mayGoOn(next)) return [];
        return [sequence(this.#item(state, progress.index), this.#after(next))];
      });
      return choice(...options);
    });
  }

  #item(state: State, index: number): Expression {
    const { itemOpen, itemClose } = this.#notation;
    const place = this.#writer.compilation.places.item(this.#place, index);
    const inner = this.#writer.innerMargin(this.#margin);
    const item = this.#writer.closed(state, place, `${this.#hint}-item`, inner, itemClose);
    return sequence(literal(itemOpen), item);
  }

  #after(progress: Progress): Expression {
    const { separator, close } = this.#notation;
    const options: Expression[] = [];
    if (this.#mayGoOn(progress)) options.push(sequence(literal(separator), this.#items(progress)));
    if (this.#mayEnd(progress)) options.push(literal(close));
    return alternatives(...options);
  }

  /** All items from here on are of one state and nothing but their number matters. */
  #isUniform({ index, found }: Progress): boolean {
    return (
      index >= this.#uniform &&
      this.#contains.every(({ min, max }, at) => max === null && (found[at] ?? 0) >= min)
    );
  }

  #uniformItems({ index }: Progress): Expression {
    const { separator, close } = this.#notation;
    const { rules } = this.#writer;
    const { min, max } = this.#shape;
    const item = this.#item(this.#shape.rest, index);
    const more = rules.add(`${this.#hint}-more`, sequence(literal(separator), item));
    const least = Math.max(0, min - index - 1);
    const most = max === null ? null : max - index - 1;
    const rest = least === 0 && most === null ? repeat(more) : countedRepeat(more, least, most, rules);
    return sequence(item, rest, literal(close));
  }
}

function progressKey({ index, found }: Progress): string {
  return `${index} ${found.join()}`;
}
