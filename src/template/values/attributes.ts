/** Attributes, items, slices and methods: what follows a dot, or is in brackets. */
import { dictMethods, itemsView, listMethods, tupleMethods } from './container-methods.ts';
import { formatBraces } from './format-text.ts';
import { invoke } from './operators.ts';
import type { Runtime } from './runtime.ts';
import { stringMethods } from './string-methods.ts';
import { characters, tracedCharacters } from './text.ts';
import { joinTexts, lengthOfText, plainText, sliceText, type Text } from './traced-text.ts';
import {
  Attributes,
  Callable,
  Dict,
  type Keywords,
  List,
  LongInteger,
  Markup,
  markedLike,
  NamedTuple,
  PythonError,
  Tuple,
  textOf,
  tracedOf,
  typeName,
  Undefined,
  undefinedError,
  type Value,
} from './values.ts';

function formatMethod(runtime: Runtime, self: Text, args: readonly Value[], keywords: Keywords): Value {
  return formatBraces(runtime, self, args, keywords, (value, name, kind) => {
    const found =
      kind === 'attribute'
        ? getAttribute(runtime, value, name)
        : getItem(runtime, value, /^\d+$/.test(name) ? Number(name) : name);
    if (found instanceof Undefined) throw undefinedError(found);
    return found;
  });
}

/** Results of text methods on marked text are marked. */
function remark(value: Value): Value {
  const text = tracedOf(value);
  if (text !== null) return new Markup(text);
  return value instanceof List ? new List(value.all().map(remark)) : value;
}

type BoundCall = (runtime: Runtime, args: readonly Value[], keywords: Keywords) => Value;

/** Methods that change characters one by one, or examine each of them. */
const readEach: ReadonlySet<string> = new Set(['istitle', 'splitlines', 'swapcase', 'title']);
/** Methods that examine no more of a text than the length of their argument. */
const shortReads: ReadonlySet<string> = new Set(['startswith', 'endswith', 'removeprefix', 'removesuffix']);

function textMethod(self: Value, text: Text, name: string): BoundCall | undefined {
  const method = name === 'format' ? formatMethod : stringMethods.get(name);
  if (method === undefined) return undefined;
  return (runtime, args, keywords) => {
    if (readEach.has(name)) runtime.chargeEach(lengthOfText(text));
    else if (shortReads.has(name)) runtime.chargeJoin([text]);
    else runtime.chargeText(lengthOfText(text));
    for (const value of args) runtime.chargeRead(textOf(value)?.length ?? 0);
    const result = method(runtime, text, args, keywords);
    return self instanceof Markup ? remark(result) : result;
  };
}

/** A method of a value, bound to it, or `undefined` if there is none of that name. */
function boundMethod(self: Value, name: string): BoundCall | undefined {
  const text = tracedOf(self);
  if (text !== null) return textMethod(self, text, name);
  if (self instanceof Dict) {
    const method = dictMethods.get(name);
    return method && ((runtime, args, keywords) => method(runtime, self, args, keywords));
  }
  if (self instanceof List) {
    const method = listMethods.get(name);
    return method && ((runtime, args, keywords) => method(runtime, self, args, keywords));
  }
  if (self instanceof Tuple) {
    const method = tupleMethods.get(name);
    return method && ((runtime, args, keywords) => method(runtime, self, args, keywords));
  }
  return undefined;
}

function methodValue(self: Value, name: string): Value | undefined {
  const element = self instanceof NamedTuple ? self.get(name) : undefined;
  if (element !== undefined) return element;
  const call = boundMethod(self, name);
  return call && new Callable(name, call);
}

/** An item by exact key or index, or `undefined`. */
function ownItem(runtime: Runtime, value: Value, key: Value): Value | undefined {
  if (value instanceof Dict) return isHashable(key) ? value.get(runtime, key) : undefined;
  const index = typeof key === 'boolean' ? Number(key) : key;
  if (typeof index !== 'number') return undefined;
  if (value instanceof List) return value.at(index);
  if (value instanceof Tuple) return value.elements.at(index);
  const text = tracedOf(value);
  return text === null ? undefined : characterAt(runtime, text, index);
}

/** A character by index, counted from the end if negative; reads no further than necessary. */
function characterAt(runtime: Runtime, text: Text, index: number): Text | undefined {
  const plain = plainText(text);
  runtime.chargeText(Math.min(plain.length, 2 * Math.abs(index)));
  const fromEnd = index < 0;
  // Each character has one unit or two, so it is among the first or last 2n units.
  const reach = fromEnd ? Math.max(0, plain.length + 2 * index) : 2 * index + 2;
  const near = fromEnd ? plain.slice(reach) : plain.slice(0, reach);
  const before = characters(near);
  const place = fromEnd ? before.length + index : index;
  const found = before[place];
  if (found === undefined) return undefined;
  const passed = fromEnd ? before.slice(place) : before.slice(0, place);
  const units = passed.reduce((sum, character) => sum + character.length, 0);
  const start = fromEnd ? plain.length - units : units;
  return sliceText(text, start, start + found.length);
}

/** Whether a key can be in a dict. Python can also look up an undefined value, and never finds it. */
function isHashable(key: Value): boolean {
  return !(key instanceof List || key instanceof Dict || key instanceof Undefined);
}

function describe(value: Value): string {
  return value === null ? 'None' : `'${typeName(value)} object'`;
}

/** `value.name`: an attribute or method first, else the item of that name, else undefined. */
export function getAttribute(runtime: Runtime, value: Value, name: string): Value {
  if (value instanceof Undefined) throw undefinedError(value);
  const found =
    value instanceof Attributes
      ? value.get(name)
      : (methodValue(value, name) ?? ownItem(runtime, value, name));
  return found === undefined ? new Undefined(`${describe(value)} has no attribute '${name}'`) : found;
}

/** `value[key]`: an item first, else the attribute or method of that name, else undefined. */
export function getItem(runtime: Runtime, value: Value, key: Value): Value {
  if (value instanceof Undefined) throw undefinedError(value);
  const found = ownItem(runtime, value, key);
  if (found !== undefined) return found;
  const name = textOf(key);
  if (name !== null) {
    runtime.chargeRead(name.length);
    const attribute = value instanceof Attributes ? value.get(name) : methodValue(value, name);
    return attribute === undefined
      ? new Undefined(`${describe(value)} has no attribute '${name}'`)
      : attribute;
  }
  return new Undefined(`${describe(value)} has no such element`);
}

/** `value.name(…)`: calls a method without creating a bound method. */
export function callMethod(
  runtime: Runtime,
  value: Value,
  name: string,
  args: readonly Value[],
  keywords: Keywords,
): Value {
  if (value instanceof Dict && name === 'items') return itemsView(runtime, value);
  const call = boundMethod(value, name);
  if (call === undefined) return invoke(runtime, getAttribute(runtime, value, name), args, keywords);
  runtime.charge(1);
  return call(runtime, args, keywords);
}

type Bound = number | null;

/** A bound of a slice, or `undefined` if Python would not accept it. */
function readBound(value: Value): Bound | undefined {
  if (value === null || typeof value === 'number') return value;
  if (value instanceof LongInteger) return value.value;
  return typeof value === 'boolean' ? Number(value) : undefined;
}

function place(value: Bound, otherwise: number, low: number, high: number, length: number): number {
  if (value === null) return otherwise;
  return Math.min(Math.max(value < 0 ? value + length : value, low), high);
}

function sliceIndexes(length: number, start: Bound, stop: Bound, step: number): number[] {
  const indexes: number[] = [];
  if (step > 0) {
    const end = place(stop, length, 0, length, length);
    for (let i = place(start, 0, 0, length, length); i < end; i += step) indexes.push(i);
  } else {
    const end = place(stop, -1, -1, length - 1, length);
    for (let i = place(start, length - 1, -1, length - 1, length); i > end; i += step) indexes.push(i);
  }
  return indexes;
}

function pick<T>(items: readonly T[], start: Bound, stop: Bound, step: number): T[] {
  const taken: T[] = [];
  for (const index of sliceIndexes(items.length, start, stop, step)) {
    const item = items[index];
    if (item !== undefined) taken.push(item);
  }
  return taken;
}

const surrogate = /[\ud800-\udfff]/;

function sliceCharacters(runtime: Runtime, text: Text, start: Bound, stop: Bound, step: number): Text {
  const plain = plainText(text);
  runtime.chargeText(plain.length);
  if (step === 1 && !surrogate.test(plain)) {
    const { length } = plain;
    const from = place(start, 0, 0, length, length);
    return sliceText(text, from, Math.max(from, place(stop, length, 0, length, length)));
  }
  runtime.chargeEach(plain.length);
  return joinTexts(pick(tracedCharacters(text), start, stop, step));
}

function slicedBy(value: Value): Bound {
  const bound = readBound(value);
  if (bound === undefined) throw new PythonError('TypeError', 'slice indices must be integers or None');
  return bound;
}

/** `value[start:stop:step]`. Throws if the value cannot be sliced: unlike items, slices are never undefined. */
export function getSlice(runtime: Runtime, value: Value, from: Value, to: Value, by: Value): Value {
  if (value instanceof Undefined) throw undefinedError(value);
  const [start, stop, step] = [slicedBy(from), slicedBy(to), slicedBy(by) ?? 1];
  if (step === 0) throw new PythonError('ValueError', 'slice step cannot be zero');
  const text = tracedOf(value);
  if (text !== null) {
    return markedLike(value, sliceCharacters(runtime, text, start, stop, step));
  }
  if (value instanceof List) {
    runtime.charge(1 + value.length);
    return new List(pick(value.all(), start, stop, step));
  }
  if (!(value instanceof Tuple))
    throw new PythonError('TypeError', `'${typeName(value)}' object is not subscriptable`);
  runtime.charge(1 + value.elements.length);
  return new Tuple(pick(value.elements, start, stop, step));
}

/** Reads an item's attribute path such as `function.name` or `0`; an undefined value may be replaced. */
export function attributeReader(runtime: Runtime, path: Value | undefined, otherwise?: Value) {
  if (path === undefined || path === null) return (item: Value) => item;
  const text = textOf(path);
  runtime.chargeEach(text?.length ?? 0);
  const parts =
    text === null ? [path] : text.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part));
  return (item: Value): Value => {
    let value = item;
    for (const part of parts) {
      runtime.charge(1);
      value = getItem(runtime, value, part);
      if (value instanceof Undefined && otherwise !== undefined) value = otherwise;
    }
    return value;
  };
}
