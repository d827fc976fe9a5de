/** The methods of Python's `list`, `tuple` and `dict` for templates. */
import { bind, flagArgument, integerArgument, keywordEntries } from './arguments.ts';
import { compare, equals, iterate } from './operators.ts';
import type { Runtime } from './runtime.ts';
import {
  Callable,
  Dict,
  type Keywords,
  List,
  orElse,
  PythonError,
  Tuple,
  type Value,
  View,
} from './values.ts';

type Method<Self> = (runtime: Runtime, self: Self, args: readonly Value[], keywords: Keywords) => Value;

function positionOf(runtime: Runtime, items: readonly Value[], item: Value): number {
  const at = items.findIndex((element) => equals(runtime, element, item));
  if (at < 0) throw new PythonError('ValueError', 'item is not in list');
  return at;
}

function only(name: string, args: readonly Value[], keywords: Keywords): Value {
  return bind(name, ['object'], args, keywords, 1)[0] ?? null;
}

/** Engines move 64 elements in about the time of one step. */
function chargeMoving(runtime: Runtime, elements: number): void {
  runtime.charge(1 + (elements >> 6));
}

function pop(runtime: Runtime, self: List, args: readonly Value[], keywords: Keywords): Value {
  const items = self.mutable();
  const index = integerArgument('pop', bind('pop', ['index'], args, keywords)[0], -1);
  const place = index < 0 ? index + items.length : index;
  chargeMoving(runtime, items.length - place);
  const [removed] = place < 0 ? [] : items.splice(place, 1);
  if (removed === undefined) throw new PythonError('IndexError', 'pop index out of range');
  return removed;
}

function sort(runtime: Runtime, self: List, args: readonly Value[], keywords: Keywords): Value {
  const [key, reverse] = bind('sort', ['key', 'reverse'], args, keywords);
  runtime.charge(self.mutable().length);
  const keyed = self.mutable().map((item) => {
    return [key instanceof Callable ? key.call(runtime, [item], new Map()) : item, item] as const;
  });
  // Equal elements keep their order in both directions.
  const direction = flagArgument(reverse) ? -1 : 1;
  keyed.sort((a, b) => direction * compare(runtime, a[0], b[0]));
  keyed.forEach(([, item], index) => {
    self.mutable()[index] = item;
  });
  return null;
}

function extend(runtime: Runtime, self: List, args: readonly Value[], keywords: Keywords): Value {
  for (const item of [...iterate(runtime, only('extend', args, keywords))]) self.mutable().push(item);
  return null;
}

function insert(runtime: Runtime, self: List, args: readonly Value[], keywords: Keywords): Value {
  chargeMoving(runtime, self.mutable().length);
  const [index, item] = bind('insert', ['index', 'object'], args, keywords, 2);
  self.mutable().splice(integerArgument('insert', index, 0), 0, item ?? null);
  return null;
}

/** Methods of lists. Lists are copies for one render, so changing them does not change the input. */
export const listMethods: ReadonlyMap<string, Method<List>> = new Map<string, Method<List>>([
  [
    'append',
    (runtime, self, args, keywords) => {
      runtime.charge(1);
      self.mutable().push(only('append', args, keywords));
      return null;
    },
  ],
  [
    'clear',
    (runtime, self) => {
      chargeMoving(runtime, self.mutable().length);
      self.mutable().length = 0;
      return null;
    },
  ],
  ['copy', (runtime, self) => new List([...iterate(runtime, self)])],
  [
    'count',
    (runtime, self, args, keywords) => {
      const wanted = only('count', args, keywords);
      return self.all().filter((item) => equals(runtime, item, wanted)).length;
    },
  ],
  ['extend', extend],
  [
    'index',
    (runtime, self, args, keywords) => positionOf(runtime, self.all(), only('index', args, keywords)),
  ],
  ['insert', insert],
  ['pop', pop],
  [
    'remove',
    (runtime, self, args, keywords) => {
      chargeMoving(runtime, self.mutable().length);
      self.mutable().splice(positionOf(runtime, self.all(), only('remove', args, keywords)), 1);
      return null;
    },
  ],
  [
    'reverse',
    (runtime, self) => {
      chargeMoving(runtime, self.mutable().length);
      self.mutable().reverse();
      return null;
    },
  ],
  ['sort', sort],
]);

/** Methods of tuples. */
export const tupleMethods: ReadonlyMap<string, Method<Tuple>> = new Map<string, Method<Tuple>>([
  [
    'count',
    (runtime, self, args, keywords) => {
      const wanted = only('count', args, keywords);
      return self.elements.filter((item) => equals(runtime, item, wanted)).length;
    },
  ],
  [
    'index',
    (runtime, self, args, keywords) => positionOf(runtime, self.elements, only('index', args, keywords)),
  ],
]);

/** Keys and values of a dict, or of an iterable of pairs. */
export function pairsOf(runtime: Runtime, source: Value): readonly (readonly [Value, Value])[] {
  if (source instanceof Dict) {
    const entries = source.entries();
    runtime.charge(1 + entries.length);
    return entries;
  }
  return iterate(runtime, source).map((pair) => {
    const [key, value, ...rest] = iterate(runtime, pair);
    if (key === undefined || value === undefined || rest.length > 0) {
      throw new PythonError('ValueError', 'dictionary update sequence element needs two items');
    }
    return [key, value] as const;
  });
}

function popKey(runtime: Runtime, self: Dict, args: readonly Value[], keywords: Keywords): Value {
  const [key, otherwise] = bind('pop', ['key', 'default'], args, keywords, 1);
  const found = self.get(runtime, key ?? null);
  const value = found === undefined ? otherwise : found;
  if (value === undefined) throw new PythonError('KeyError', 'pop from a dict without that key');
  self.delete(runtime, key ?? null);
  return value;
}

function setDefault(runtime: Runtime, self: Dict, args: readonly Value[], keywords: Keywords): Value {
  const [key, otherwise] = bind('setdefault', ['key', 'default'], args, keywords, 1);
  const known = self.get(runtime, key ?? null);
  if (known !== undefined) return known;
  self.set(runtime, key ?? null, otherwise ?? null);
  return otherwise ?? null;
}

function update(runtime: Runtime, self: Dict, args: readonly Value[], keywords: Keywords): Value {
  const [source] = args;
  for (const [key, value] of source === undefined ? [] : pairsOf(runtime, source))
    self.set(runtime, key, value);
  for (const [key, value] of keywordEntries(runtime, keywords)) self.set(runtime, key, value);
  return null;
}

function popItem(runtime: Runtime, self: Dict): Value {
  const last = pairsOf(runtime, self).at(-1);
  if (last === undefined) throw new PythonError('KeyError', 'popitem(): dictionary is empty');
  self.delete(runtime, last[0]);
  return new Tuple(last);
}

/** `dict.items()`. */
export function itemsView(runtime: Runtime, self: Dict): View {
  const entries = self.entries();
  runtime.charge(1 + entries.length);
  return new View(
    'dict_items',
    entries.map((entry) => new Tuple(entry)),
  );
}

/** Methods of dicts. */
export const dictMethods: ReadonlyMap<string, Method<Dict>> = new Map<string, Method<Dict>>([
  [
    'clear',
    (runtime, self) => {
      for (const key of iterate(runtime, self)) self.delete(runtime, key);
      return null;
    },
  ],
  ['copy', (runtime, self) => new Dict(pairsOf(runtime, self))],
  [
    'get',
    (runtime, self, args, keywords) => {
      const [key, otherwise] = bind('get', ['key', 'default'], args, keywords, 1);
      return orElse(self.get(runtime, key ?? null), otherwise ?? null);
    },
  ],
  ['items', (runtime, self) => itemsView(runtime, self)],
  ['keys', (runtime, self) => new View('dict_keys', iterate(runtime, self))],
  ['pop', popKey],
  ['popitem', popItem],
  ['setdefault', setDefault],
  ['update', update],
  [
    'values',
    (runtime, self) =>
      new View(
        'dict_values',
        pairsOf(runtime, self).map(([, value]) => value),
      ),
  ],
]);
