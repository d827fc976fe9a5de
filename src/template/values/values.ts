/**
 * The values of templates: Python's, as far as Jinja can reach them.
 *
 * Text, whole numbers, booleans and `None` are JavaScript primitives; everything else is one of the classes below, or
 * text with characters of the input (`TracedText`). No value leads to a JavaScript object, so a template cannot reach
 * one.
 */
import type { Steps } from '../../language/expression/steps.ts';
import type { Runtime } from './runtime.ts';
import { plainText, type Text, TracedText } from './traced-text.ts';

/** Any value of a template. A `number` is a whole number; fractions are `Float`. */
export type Value =
  | Text
  | number
  | boolean
  | null
  | Undefined
  | Float
  | LongInteger
  | List
  | Tuple
  | Dict
  | Stream
  | View
  | Callable
  | Markup
  | Attributes;

/** Keyword arguments of a call. */
export type Keywords = ReadonlyMap<string, Value>;

/** The implementation of a callable. */
export type Call = (runtime: Runtime, args: readonly Value[], keywords: Keywords) => Value;

/** The same, in steps. */
export type CallSteps = (runtime: Runtime, args: readonly Value[], keywords: Keywords) => Steps<Value>;

/** Maximum characters of an error's message. */
export const maxMessageLength = 10_000;

/** A Python exception, by the name of its class. */
export class PythonError extends Error {
  readonly type: string;
  constructor(type: string, message: string) {
    super(`${type}: ${message}`.slice(0, maxMessageLength));
    this.type = type;
  }
}

/** The template called `raise_exception`. */
export class RaisedError extends Error {}

/** The value of a name or key that does not exist; most uses of it are errors. */
export class Undefined {
  /** What is missing, for the error message: `'tools' is undefined`. */
  readonly hint: string;
  constructor(hint: string) {
    this.hint = hint;
  }
}

/** A Python float. */
export class Float {
  readonly value: number;
  /** How it is printed, if it was given with more digits than a double has. */
  readonly digits: string | null;
  constructor(value: number, digits: string | null = null) {
    this.value = value;
    this.digits = digits;
  }
}

/** A whole number of the input beyond 2^53. It is printed by its digits; operators work on the nearest double. */
export class LongInteger {
  readonly value: number;
  readonly digits: string;
  constructor(digits: string) {
    this.value = Number(digits);
    this.digits = digits;
  }
}

/** Text marked as safe; adding text to it escapes that text. */
export class Markup {
  readonly content: Text;
  constructor(content: Text) {
    this.content = content;
  }
}

/** How an input value was read. */
export type ReadKind = 'value' | 'iterated' | 'tested' | 'absent';

/** Called for every read of the part of the input that it watches. */
export interface Watch {
  /** Path of the container: `messages[1].tool_calls`. */
  readonly path: string;
  note(path: string, kind: ReadKind): void;
}

/** Appends a key or an index to a path. */
export function extendPath(path: string, key: string | number): string {
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!/^[A-Za-z_]\w*$/.test(key)) return `${path}[${JSON.stringify(key)}]`;
  return path === '' ? key : `${path}.${key}`;
}

function isLeaf(value: Value): boolean {
  return !(value instanceof List || value instanceof Dict);
}

/** A Python list. */
export class List {
  protected readonly elements: Value[];
  protected readonly watch: Watch | null;
  constructor(elements: Value[], watch: Watch | null = null) {
    this.elements = elements;
    this.watch = watch;
  }
  get length(): number {
    this.watch?.note(this.watch.path, 'tested');
    return this.elements.length;
  }
  /** All elements; must not be changed. */
  all(): readonly Value[] {
    const { watch } = this;
    if (watch !== null) {
      watch.note(watch.path, 'iterated');
      this.elements.forEach((element, index) => {
        if (isLeaf(element)) watch.note(extendPath(watch.path, index), 'value');
      });
    }
    return this.elements;
  }
  /** One element; negative indexes count from the end. */
  at(index: number): Value | undefined {
    const place = index < 0 ? index + this.elements.length : index;
    const element = this.elements[place];
    if (this.watch !== null && element !== undefined) {
      this.watch.note(extendPath(this.watch.path, place), isLeaf(element) ? 'value' : 'tested');
    }
    return element;
  }
  /** The elements, to be changed. */
  mutable(): Value[] {
    return this.elements;
  }
}

/** A Python tuple. */
export class Tuple {
  readonly elements: readonly Value[];
  constructor(elements: readonly Value[]) {
    this.elements = elements;
  }
}

/** A tuple whose elements have names, too: a group of `groupby`. */
export class NamedTuple extends Tuple {
  private readonly names: readonly string[];
  constructor(names: readonly string[], elements: readonly Value[]) {
    super(elements);
    this.names = names;
  }
  /** The element of a name. */
  get(name: string): Value | undefined {
    return this.elements[this.names.indexOf(name)];
  }
}

/** A generator or iterator: its elements are created on demand, are read once, and have no length. */
export class Stream {
  /** Python's name for it when it is printed. */
  readonly label: string;
  private make: (() => readonly Value[]) | null;
  private made: readonly Value[] | null = null;
  private taken = 0;
  constructor(make: () => readonly Value[], label = 'generator') {
    this.make = make;
    this.label = label;
  }
  /** The elements, the first time; then none. */
  drain(): readonly Value[] {
    const rest = this.elements().slice(this.taken);
    this.made = [];
    return rest;
  }
  /** The next element alone. */
  next(): Value | undefined {
    const element = this.elements()[this.taken];
    this.taken += 1;
    return element;
  }
  private elements(): readonly Value[] {
    const { make } = this;
    this.make = null;
    if (make !== null) this.made = make();
    return this.made ?? [];
  }
}

/** A dictionary's `keys()`, `values()` or `items()`: iterable and sized, but not indexable. */
export class View {
  readonly label: 'dict_keys' | 'dict_values' | 'dict_items';
  readonly elements: readonly Value[];
  constructor(label: View['label'], elements: readonly Value[]) {
    this.label = label;
    this.elements = elements;
  }
}

/** A value that a template can call. */
export class Callable {
  readonly name: string;
  readonly call: Call;
  /** The same, in steps; `null` if it is one step. */
  readonly steps: CallSteps | null;
  constructor(name: string, call: Call, steps: CallSteps | null = null) {
    this.name = name;
    this.call = call;
    this.steps = steps;
  }
}

/** An object with attributes only: `loop`, a namespace, a cycler. */
export class Attributes {
  /** Python's name for its class. */
  readonly label: string;
  readonly values: Map<string, Value>;
  /** Whether `{% set x.y = … %}` may write to it. */
  readonly assignable: boolean;
  constructor(label: string, values: Map<string, Value>, assignable = false) {
    this.label = label;
    this.values = values;
    this.assignable = assignable;
  }
  /** An attribute's value. */
  get(name: string): Value | undefined {
    return this.values.get(name);
  }
}

type Entry = readonly [key: Value, value: Value];
type HashKey = string | number | null | typeof undefinedKey;

/** All undefined values are one key. */
const undefinedKey = Symbol('undefined');

/** Python's equality of keys: `1`, `1.0` and `True` are one key. */
function hashKey(key: Value): HashKey {
  if (typeof key === 'string' || typeof key === 'number' || key === null) return key;
  if (typeof key === 'boolean') return key ? 1 : 0;
  if (key instanceof Float) return key.value;
  if (key instanceof LongInteger) return `\u0000${key.digits}`;
  if (key instanceof TracedText) return key.text;
  if (key instanceof Markup) return plainText(key.content);
  if (key instanceof Tuple && !key.elements.some((item) => item instanceof Tuple)) {
    return `\u0000(${key.elements.map((item) => JSON.stringify(hashKey(item))).join()})`;
  }
  if (key instanceof Undefined) return undefinedKey;
  throw new PythonError('TypeError', 'unhashable type');
}

/** Charges for reading a key; a tuple is converted to text each time. */
function chargeKey(runtime: Runtime, key: Value): void {
  if (key instanceof Tuple) for (const item of key.elements) runtime.chargeEach(textOf(item)?.length ?? 0);
  else runtime.chargeRead(textOf(key)?.length ?? 0);
}

/** A Python dict: insertion order, any hashable keys. Creating it from the input is not charged. */
export class Dict {
  private readonly map = new Map<HashKey, Entry>();
  private readonly watch: Watch | null;
  constructor(entries: Iterable<Entry> = [], watch: Watch | null = null) {
    for (const [key, value] of entries) this.put(key, value);
    this.watch = watch;
  }
  get size(): number {
    this.watch?.note(this.watch.path, 'tested');
    return this.map.size;
  }
  /** A key's value, or `undefined`. */
  get(runtime: Runtime, key: Value): Value | undefined {
    chargeKey(runtime, key);
    const value = this.map.get(hashKey(key))?.[1];
    this.noteKey(key, value === undefined ? 'absent' : isLeaf(value) ? 'value' : 'tested');
    return value;
  }
  /** Whether it holds a key. */
  has(runtime: Runtime, key: Value): boolean {
    chargeKey(runtime, key);
    const found = this.map.has(hashKey(key));
    this.noteKey(key, found ? 'tested' : 'absent');
    return found;
  }
  set(runtime: Runtime, key: Value, value: Value): void {
    chargeKey(runtime, key);
    this.put(key, value);
  }
  private put(key: Value, value: Value): void {
    const hash = hashKey(key);
    this.map.set(hash, [this.map.get(hash)?.[0] ?? key, value]);
  }
  delete(runtime: Runtime, key: Value): boolean {
    chargeKey(runtime, key);
    return this.map.delete(hashKey(key));
  }
  /** The keys alone. */
  keys(): Value[] {
    this.watch?.note(this.watch.path, 'iterated');
    return Array.from(this.map.values(), (entry) => entry[0]);
  }
  /** Keys with their values. */
  entries(): Entry[] {
    const entries = [...this.map.values()];
    if (this.watch !== null) {
      this.watch.note(this.watch.path, 'iterated');
      for (const [key, value] of entries) if (isLeaf(value)) this.noteKey(key, 'value');
    }
    return entries;
  }
  private noteKey(key: Value, kind: ReadKind): void {
    if (this.watch !== null && typeof key === 'string')
      this.watch.note(extendPath(this.watch.path, key), kind);
  }
}

/** Python's name for a value's type. */
export function typeName(value: Value): string {
  if (value === null) return 'NoneType';
  if (typeof value === 'string' || value instanceof TracedText) return 'str';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'number' || value instanceof LongInteger) return 'int';
  if (value instanceof Float) return 'float';
  if (value instanceof List) return 'list';
  if (value instanceof Tuple) return 'tuple';
  if (value instanceof Dict) return 'dict';
  if (value instanceof Undefined) return 'Undefined';
  if (value instanceof Markup) return 'Markup';
  if (value instanceof Callable) return 'function';
  return value.label;
}

/** The JavaScript number of a value that Python counts as a number, or `null`. */
export function numeric(value: Value): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  return value instanceof Float || value instanceof LongInteger ? value.value : null;
}

/** The characters of a text value, marked or not, or `null`. */
export function textOf(value: Value): string | null {
  if (typeof value === 'string') return value;
  const text = tracedOf(value);
  return text === null ? null : plainText(text);
}

/** The text of a text value, marked or not, with the origin of its characters; or `null`. */
export function tracedOf(value: Value): Text | null {
  if (typeof value === 'string' || value instanceof TracedText) return value;
  return value instanceof Markup ? value.content : null;
}

/** Text made from a value's text: marked if the value is. */
export function markedLike(value: Value, text: Text): Value {
  return value instanceof Markup ? new Markup(text) : text;
}

/** The error of using something undefined. */
export function undefinedError(value: Undefined): PythonError {
  return new PythonError('UndefinedError', value.hint);
}

/** A value, or another one if there is none. (`??` would treat Python's `None` as absent.) */
export function orElse(value: Value | undefined, otherwise: Value): Value {
  return value === undefined ? otherwise : value;
}

/** Python's truth: empty, zero, `None` and undefined are false. */
export function truthy(value: Value): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return value !== '';
  if (typeof value === 'number') return value !== 0;
  if (value === null || value instanceof Undefined) return false;
  if (value instanceof List) return value.length > 0;
  if (value instanceof Dict) return value.size > 0;
  if (value instanceof Tuple || value instanceof View) return value.elements.length > 0;
  if (value instanceof Float) return value.value !== 0;
  return value instanceof Markup ? value.content !== '' : true;
}
