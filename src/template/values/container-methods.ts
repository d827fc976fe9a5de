/** The methods of Python's `list`, `tuple` and `dict` for templates. */
import { flagArgument, integerArgument, keywordEntries, type MethodBody, methodTable } from './arguments.ts';
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

function occurrences(runtime: Runtime, items: readonly Value[], item: Value): number {
  return items.filter((element) => equals(runtime, element, item)).length;
}

function positionOf(runtime: Runtime, items: readonly Value[], item: Value): number {
  const at = items.findIndex((element) => equals(runtime, element, item));
  if (at < 0) throw new PythonError('ValueError', 'item is not in list');
  return at;
}

/** Engines move 64 elements in about the time of one step. */
function chargeMoving(runtime: Runtime, elements: number): void {
  runtime.charge(1 + (elements >> 6));
}

const pop: MethodBody<List> = (runtime, self, [given], name) => {
  const items = self.mutable();
  const index = integerArgument(name, given, -1);
  const place = index < 0 ? index + items.length : index;
  chargeMoving(runtime, items.length - place);
  const [removed] = place < 0 ? [] : items.splice(place, 1);
  if (removed === undefined) throw new PythonError('IndexError', 'pop index out of range');
  return removed;
};

const sort: MethodBody<List> = (runtime, self, [key, reverse]) => {
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
};

/** Methods of lists. Lists are copies for one render, so changing them does not change the input. */
export const listMethods = methodTable<List>({
  append: [
    'object /',
    (runtime, self, [item = null]) => {
      runtime.charge(1);
      self.mutable().push(item);
      return null;
    },
  ],
  clear: [
    '',
    (runtime, self) => {
      chargeMoving(runtime, self.mutable().length);
      self.mutable().length = 0;
      return null;
    },
  ],
  copy: ['', (runtime, self) => new List([...iterate(runtime, self)])],
  count: ['object /', (runtime, self, [item = null]) => occurrences(runtime, self.all(), item)],
  extend: [
    'iterable /',
    (runtime, self, [items = null]) => {
      for (const item of [...iterate(runtime, items)]) self.mutable().push(item);
      return null;
    },
  ],
  index: ['object /', (runtime, self, [item = null]) => positionOf(runtime, self.all(), item)],
  insert: [
    'index object /',
    (runtime, self, [index, item = null], name) => {
      chargeMoving(runtime, self.mutable().length);
      self.mutable().splice(integerArgument(name, index, 0), 0, item);
      return null;
    },
  ],
  pop: ['index? /', pop],
  remove: [
    'object /',
    (runtime, self, [item = null]) => {
      chargeMoving(runtime, self.mutable().length);
      self.mutable().splice(positionOf(runtime, self.all(), item), 1);
      return null;
    },
  ],
  reverse: [
    '',
    (runtime, self) => {
      chargeMoving(runtime, self.mutable().length);
      self.mutable().reverse();
      return null;
    },
  ],
  sort: ['key? reverse?', sort],
});

/** Methods of tuples. */
export const tupleMethods = methodTable<Tuple>({
  count: ['object /', (runtime, self, [item = null]) => occurrences(runtime, self.elements, item)],
  index: ['object /', (runtime, self, [item = null]) => positionOf(runtime, self.elements, item)],
});

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

const popKey: MethodBody<Dict> = (runtime, self, [key = null, otherwise]) => {
  const found = self.get(runtime, key);
  const value = found === undefined ? otherwise : found;
  if (value === undefined) throw new PythonError('KeyError', 'pop from a dict without that key');
  self.delete(runtime, key);
  return value;
};

const setDefault: MethodBody<Dict> = (runtime, self, [key = null, otherwise = null]) => {
  const known = self.get(runtime, key);
  if (known !== undefined) return known;
  self.set(runtime, key, otherwise);
  return otherwise;
};

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
export const dictMethods = methodTable<Dict>({
  clear: [
    '',
    (runtime, self) => {
      for (const key of iterate(runtime, self)) self.delete(runtime, key);
      return null;
    },
  ],
  copy: ['', (runtime, self) => new Dict(pairsOf(runtime, self))],
  get: [
    'key default? /',
    (runtime, self, [key = null, otherwise = null]) => orElse(self.get(runtime, key), otherwise),
  ],
  items: ['', itemsView],
  keys: ['', (runtime, self) => new View('dict_keys', iterate(runtime, self))],
  pop: ['key default? /', popKey],
  popitem: ['', popItem],
  setdefault: ['key default? /', setDefault],
  values: [
    '',
    (runtime, self) =>
      new View(
        'dict_values',
        pairsOf(runtime, self).map(([, value]) => value),
      ),
  ],
  update,
});
