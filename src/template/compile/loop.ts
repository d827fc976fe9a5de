/** The `loop` variable inside `{% for %}`. */
import { equals } from '../values/operators.ts';
import { Attributes, Callable, orElse, PythonError, Tuple, Undefined, type Value } from '../values/values.ts';

/** One run of a loop: its position, and its neighbours. */
export class Loop extends Attributes {
  /** Index of the current item, from 0. */
  index = 0;
  private readonly items: readonly Value[];
  private readonly depth: number;
  private readonly again: ((items: Value) => Value) | null;
  private last: Value | undefined;

  /** `depth`: 1 outside of other runs of the same loop. `again` runs the body of a recursive loop for other items. */
  constructor(items: readonly Value[], depth: number, again: ((items: Value) => Value) | null) {
    super('LoopContext', new Map());
    this.items = items;
    this.depth = depth;
    this.again = again;
  }

  override get(name: string): Value | undefined {
    const { index, items } = this;
    switch (name) {
      case 'index':
        return index + 1;
      case 'index0':
        return index;
      case 'revindex':
        return items.length - index;
      case 'revindex0':
        return items.length - index - 1;
      case 'first':
        return index === 0;
      case 'last':
        return index === items.length - 1;
      case 'length':
        return items.length;
      case 'depth':
        return this.depth;
      case 'depth0':
        return this.depth - 1;
      case 'previtem':
        return orElse(items[index - 1], new Undefined('there is no previous item'));
      case 'nextitem':
        return orElse(items[index + 1], new Undefined('there is no next item'));
      case 'cycle':
        return this.cycle();
      case 'changed':
        return this.changed();
      case '__call__':
        return this.recurse();
      default:
        return undefined;
    }
  }

  private recurse(): Callable {
    return new Callable('loop', (_runtime, [items = null]) => {
      if (this.again !== null) return this.again(items);
      const reason = "The loop must have the 'recursive' marker to be called recursively.";
      throw new PythonError('TypeError', reason);
    });
  }

  private cycle(): Callable {
    return new Callable('cycle', (_runtime, args) => {
      if (args.length === 0) throw new PythonError('TypeError', 'no items for cycling given');
      return args[this.index % args.length] ?? null;
    });
  }

  private changed(): Callable {
    return new Callable('changed', (runtime, args) => {
      const value = new Tuple(args);
      const same = this.last !== undefined && equals(runtime, this.last, value);
      this.last = value;
      return !same;
    });
  }
}
