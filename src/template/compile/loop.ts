/** The `loop` variable inside `{% for %}`. */
import { equals } from '../values/operators.ts';
import { Attributes, Callable, orElse, PythonError, Tuple, Undefined, type Value } from '../values/values.ts';

/** One run of a loop: its position, and its neighbours. */
export class Loop extends Attributes {
  /** Index of the current item, from 0. */
  index = 0;
  private readonly items: readonly Value[];
  private last: Value | undefined;

  constructor(items: readonly Value[]) {
    super('LoopContext', new Map());
    this.items = items;
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
        return 1;
      case 'depth0':
        return 0;
      case 'previtem':
        return orElse(items[index - 1], new Undefined('there is no previous item'));
      case 'nextitem':
        return orElse(items[index + 1], new Undefined('there is no next item'));
      case 'cycle':
        return this.cycle();
      case 'changed':
        return this.changed();
      default:
        return undefined;
    }
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
