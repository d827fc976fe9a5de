/** Python's operators on template values. */
import type { Steps } from '../../language/expression/steps.ts';
import type { Runtime } from './runtime.ts';
import { findFirst } from './search.ts';
import { compareText, escapeHtml, str, textLength, tracedCharacters } from './text.ts';
import { joinTexts, lengthOfText, repeatText, type Text } from './traced-text.ts';
import {
  Attributes,
  Callable,
  Dict,
  Float,
  List,
  LongInteger,
  Markup,
  markedLike,
  numeric,
  PythonError,
  Stream,
  Tuple,
  textOf,
  tracedOf,
  typeName,
  Undefined,
  undefinedError,
  type Value,
  View,
} from './values.ts';

/** The elements of a value that can be looped over, or `null`. */
export function elementsOf(value: Value): readonly Value[] | null {
  if (value instanceof List) return value.all();
  if (value instanceof Tuple || value instanceof View) return value.elements;
  if (value instanceof Dict) return value.keys();
  if (value instanceof Stream) return value.drain();
  if (value instanceof Undefined) return [];
  const text = tracedOf(value);
  return text === null ? null : tracedCharacters(text);
}

/** The elements of a value. Throws as Python does if it has none. */
export function iterate(runtime: Runtime, value: Value): readonly Value[] {
  const text = tracedOf(value);
  // Charged before a value is created for each character.
  if (text !== null) runtime.charge(1 + lengthOfText(text));
  const elements = elementsOf(value);
  if (elements === null) throw new PythonError('TypeError', `'${typeName(value)}' object is not iterable`);
  if (text === null) runtime.charge(1 + elements.length);
  return elements;
}

/** Python's `len`. */
export function lengthOf(runtime: Runtime, value: Value): number {
  if (value instanceof List) return value.length;
  if (value instanceof Dict) return value.size;
  if (value instanceof Tuple || value instanceof View) return value.elements.length;
  if (value instanceof Undefined) return 0;
  const text = textOf(value);
  if (text === null) throw new PythonError('TypeError', `object of type '${typeName(value)}' has no len()`);
  runtime.chargeRead(text.length);
  return textLength(text);
}

function sameElements(runtime: Runtime, left: readonly Value[], right: readonly Value[]): boolean {
  return (
    left.length === right.length && left.every((item, index) => equals(runtime, item, right[index] ?? null))
  );
}

function sameEntries(runtime: Runtime, left: Dict, right: Dict): boolean {
  if (left.size !== right.size) return false;
  runtime.charge(left.size);
  return left.entries().every(([key, value]) => {
    const other = right.get(runtime, key);
    return other !== undefined && equals(runtime, value, other);
  });
}

/** Whether two texts have the same characters. */
export function sameText(runtime: Runtime, left: string, right: string | null): boolean {
  if (right === null || left.length !== right.length) return false;
  runtime.chargeRead(left.length);
  return left === right;
}

/** Python's `==`. */
export function equals(runtime: Runtime, left: Value, right: Value): boolean {
  runtime.charge(1);
  if (left === right) return true;
  if (left instanceof LongInteger && right instanceof LongInteger) return left.digits === right.digits;
  const a = numeric(left);
  if (a !== null) return a === numeric(right);
  const text = textOf(left);
  if (text !== null) return sameText(runtime, text, textOf(right));
  if (left instanceof List) return right instanceof List && sameElements(runtime, left.all(), right.all());
  if (left instanceof Tuple)
    return right instanceof Tuple && sameElements(runtime, left.elements, right.elements);
  if (left instanceof Dict) return right instanceof Dict && sameEntries(runtime, left, right);
  return left instanceof Undefined && right instanceof Undefined;
}

function compareElements(runtime: Runtime, left: readonly Value[], right: readonly Value[]): number {
  for (let i = 0; i < left.length && i < right.length; i += 1) {
    const a = left[i] ?? null;
    const b = right[i] ?? null;
    if (!equals(runtime, a, b)) return compare(runtime, a, b);
  }
  return left.length - right.length;
}

/** Compares two values: negative, zero or positive. Throws for values without an order. */
export function compare(runtime: Runtime, left: Value, right: Value): number {
  runtime.charge(1);
  const a = numeric(left);
  const b = numeric(right);
  if (a !== null && b !== null) return a - b;
  const leftText = textOf(left);
  const rightText = textOf(right);
  if (leftText !== null && rightText !== null) {
    runtime.chargeText(leftText.length + rightText.length);
    return compareText(leftText, rightText);
  }
  if (left instanceof List && right instanceof List) return compareElements(runtime, left.all(), right.all());
  if (left instanceof Tuple && right instanceof Tuple)
    return compareElements(runtime, left.elements, right.elements);
  throw unsupported('<', left, right);
}

/** Python's `in`. */
export function contains(runtime: Runtime, container: Value, item: Value): boolean {
  const text = textOf(container);
  if (text !== null) {
    const part = textOf(item);
    if (part === null) {
      if (item instanceof Undefined) throw undefinedError(item);
      throw new PythonError(
        'TypeError',
        `'in <string>' requires string as left operand, not ${typeName(item)}`,
      );
    }
    runtime.chargeRead(text.length + part.length);
    return findFirst(text, part) >= 0;
  }
  if (container instanceof Dict) {
    return container.has(runtime, item);
  }
  const elements = elementsOf(container);
  if (elements === null) {
    throw new PythonError('TypeError', `argument of type '${typeName(container)}' is not iterable`);
  }
  runtime.charge(1 + elements.length);
  return elements.some((element) => equals(runtime, element, item));
}

function unsupported(operator: string, left: Value, right: Value): PythonError {
  if (left instanceof Undefined) return undefinedError(left);
  if (right instanceof Undefined) return undefinedError(right);
  const types = `'${typeName(left)}' and '${typeName(right)}'`;
  return new PythonError('TypeError', `unsupported operand type(s) for ${operator}: ${types}`);
}

function addText(runtime: Runtime, left: Value, right: Value): Value | undefined {
  const a = tracedOf(left);
  const b = tracedOf(right);
  if (a === null || b === null) return undefined;
  runtime.chargeJoin([a, b]);
  if (typeof a === 'string' && typeof b === 'string' && left === a && right === b) return a + b;
  if (!(left instanceof Markup || right instanceof Markup)) return joinTexts([a, b]);
  return new Markup(joinTexts([escapeHtml(runtime, left), escapeHtml(runtime, right)]));
}

function add(runtime: Runtime, left: Value, right: Value): Value | undefined {
  if (left instanceof List && right instanceof List) {
    runtime.charge(left.length + right.length);
    return new List([...left.all(), ...right.all()]);
  }
  if (left instanceof Tuple && right instanceof Tuple) {
    runtime.charge(left.elements.length + right.elements.length);
    return new Tuple([...left.elements, ...right.elements]);
  }
  return addText(runtime, left, right);
}

function repeat(runtime: Runtime, value: Value, times: Value): Value | undefined {
  if (typeof times !== 'number' && typeof times !== 'boolean') return undefined;
  const count = Math.max(0, Number(times));
  const text = tracedOf(value);
  if (text !== null) {
    runtime.chargeText(lengthOfText(text) * count);
    return markedLike(value, text === '' ? '' : repeatText(text, count));
  }
  if (!(value instanceof List || value instanceof Tuple)) return undefined;
  const elements = value instanceof List ? value.all() : value.elements;
  runtime.charge(elements.length * count);
  const repeated = Array.from({ length: elements.length * count }, (_, index) => {
    return elements[index % elements.length] ?? null;
  });
  return value instanceof List ? new List(repeated) : new Tuple(repeated);
}

function modulo(left: number, right: number): number {
  const rest = left % right;
  // A rest has the divisor's sign, zero too.
  if (rest === 0) return right < 0 ? -0 : 0;
  return rest < 0 === right < 0 ? rest : rest + right;
}

function calculate(operator: string, left: number, right: number): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '**':
      if (left === 0 && right < 0)
        throw new PythonError('ZeroDivisionError', '0 cannot be raised to a negative power');
      return left ** right;
    default:
      if (right === 0) throw new PythonError('ZeroDivisionError', 'division by zero');
      if (operator === '/') return left / right;
      return operator === '//' ? Math.floor(left / right) : modulo(left, right);
  }
}

function arithmetic(operator: string, left: Value, right: Value): Value | undefined {
  const a = numeric(left);
  const b = numeric(right);
  if (a === null || b === null) return undefined;
  const result = calculate(operator, a, b);
  const fractional =
    left instanceof Float || right instanceof Float || operator === '/' || (operator === '**' && b < 0);
  if (fractional) return new Float(result);
  if (!Number.isFinite(result)) throw new PythonError('OverflowError', 'result too large');
  return withoutSign(result);
}

/** The binary operators `+ - * / // % **`; the caller passes in `formatPercent` for `%` on text. */
export function binary(runtime: Runtime, operator: string, left: Value, right: Value): Value {
  runtime.charge(1);
  const result =
    arithmetic(operator, left, right) ??
    (operator === '+' ? add(runtime, left, right) : undefined) ??
    (operator === '*' ? (repeat(runtime, left, right) ?? repeat(runtime, right, left)) : undefined);
  if (result === undefined) throw unsupported(operator, left, right);
  return result;
}

/** Unary `-` and `+`. */
export function signed(operator: string, value: Value): Value {
  const number = numeric(value);
  if (number === null) {
    if (value instanceof Undefined) throw undefinedError(value);
    throw new PythonError('TypeError', `bad operand type for unary ${operator}: '${typeName(value)}'`);
  }
  const result = operator === '-' ? -number : number;
  if (value instanceof Float) return new Float(result);
  return withoutSign(result);
}

/** A whole number, whose zero has no sign. */
function withoutSign(number: number): number {
  return number + 0;
}

/** Jinja's `~`: both sides as text, joined. */
export function concatenate(runtime: Runtime, parts: readonly Value[]): Text {
  const texts = parts.map((part) => str(runtime, part));
  runtime.chargeJoin(texts);
  return joinTexts(texts);
}

/** Whether a value can be called. */
export function isCallable(value: Value): boolean {
  return value instanceof Callable || (value instanceof Attributes && value.get('__call__') !== undefined);
}

/** Calls a value, in steps if it is a macro. */
export function* invokeSteps(
  runtime: Runtime,
  callee: Value,
  args: readonly Value[],
  keywords: ReadonlyMap<string, Value>,
): Steps<Value> {
  if (!(callee instanceof Callable) || callee.steps === null) return invoke(runtime, callee, args, keywords);
  runtime.charge(1 + args.length + keywords.size);
  return yield* callee.steps(runtime, args, keywords);
}

/** Calls a value. */
export function invoke(
  runtime: Runtime,
  callee: Value,
  args: readonly Value[],
  keywords: ReadonlyMap<string, Value>,
): Value {
  runtime.charge(1 + args.length + keywords.size);
  if (callee instanceof Callable) return callee.call(runtime, args, keywords);
  if (callee instanceof Attributes) {
    const call = callee.get('__call__');
    if (call instanceof Callable) return call.call(runtime, args, keywords);
  }
  if (callee instanceof Undefined) throw undefinedError(callee);
  throw new PythonError('TypeError', `'${typeName(callee)}' object is not callable`);
}
