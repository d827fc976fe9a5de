/** Jinja's tests, used after `is`. */
import { bind } from '../values/arguments.ts';
import { compare, contains, equals, isCallable, sameText } from '../values/operators.ts';
import type { Runtime } from '../values/runtime.ts';
import { str } from '../values/text.ts';
import { plainText } from '../values/traced-text.ts';
import {
  Dict,
  Float,
  type Keywords,
  List,
  Markup,
  numeric,
  PythonError,
  Stream,
  Tuple,
  textOf,
  typeName,
  Undefined,
  undefinedError,
  type Value,
  View,
} from '../values/values.ts';

/** One test of a value. */
type Test = (runtime: Runtime, value: Value, args: readonly Value[], keywords: Keywords) => boolean;

type Comparison = (runtime: Runtime, value: Value, other: Value) => boolean;

function comparing(holds: Comparison): Test {
  return (runtime, value, args, keywords) => {
    const [other] = bind('test', ['other'], args, keywords, 1);
    return holds(runtime, value, other ?? null);
  };
}

function whole(value: Value): number {
  const number = numeric(value);
  if (number !== null) return number;
  if (value instanceof Undefined) throw undefinedError(value);
  throw new PythonError('TypeError', `a number is needed, not ${typeName(value)}`);
}

function isNumber(value: Value): boolean {
  return numeric(value) !== null;
}

function isIterable(value: Value): boolean {
  return (
    textOf(value) !== null ||
    value instanceof List ||
    value instanceof Tuple ||
    value instanceof Dict ||
    value instanceof View ||
    value instanceof Stream ||
    value instanceof Undefined
  );
}

function isSequence(value: Value): boolean {
  const sized = textOf(value) !== null || value instanceof List || value instanceof Tuple;
  return sized || value instanceof Dict || value instanceof Undefined;
}

function letterCase(runtime: Runtime, value: Value, lower: boolean): boolean {
  const text = plainText(str(runtime, value));
  runtime.chargeText(text.length);
  const same = lower ? text.toLowerCase() : text.toUpperCase();
  return text === same && text.toLowerCase() !== text.toUpperCase();
}

function sameObject(runtime: Runtime, value: Value, other: Value): boolean {
  if (value instanceof Undefined) return other instanceof Undefined;
  const text = textOf(value);
  if (text === null) return value === other;
  return sameText(runtime, text, textOf(other));
}

const less = comparing((runtime, a, b) => compare(runtime, a, b) < 0);
const lessOrEqual = comparing((runtime, a, b) => compare(runtime, a, b) <= 0);
const greater = comparing((runtime, a, b) => compare(runtime, a, b) > 0);
const greaterOrEqual = comparing((runtime, a, b) => compare(runtime, a, b) >= 0);
const equal = comparing(equals);
const unequal = comparing((runtime, a, b) => !equals(runtime, a, b));

const simple: readonly (readonly [name: string, test: Test])[] = [
  ['boolean', (_runtime, value) => typeof value === 'boolean'],
  ['callable', (_runtime, value) => isCallable(value) || value instanceof Undefined],
  ['defined', (_runtime, value) => !(value instanceof Undefined)],
  ['escaped', (_runtime, value) => value instanceof Markup],
  ['even', (_runtime, value) => whole(value) % 2 === 0],
  ['false', (_runtime, value) => value === false],
  ['float', (_runtime, value) => value instanceof Float],
  ['integer', (_runtime, value) => typeName(value) === 'int'],
  ['iterable', (_runtime, value) => isIterable(value)],
  ['lower', (runtime, value) => letterCase(runtime, value, true)],
  ['mapping', (_runtime, value) => value instanceof Dict],
  ['none', (_runtime, value) => value === null],
  ['number', (_runtime, value) => isNumber(value)],
  ['odd', (_runtime, value) => Math.abs(whole(value) % 2) === 1],
  ['sequence', (_runtime, value) => isSequence(value)],
  ['string', (_runtime, value) => textOf(value) !== null],
  ['true', (_runtime, value) => value === true],
  ['undefined', (_runtime, value) => value instanceof Undefined],
  ['upper', (runtime, value) => letterCase(runtime, value, false)],
];

/** Every test by its name. */
export const tests: ReadonlyMap<string, Test> = new Map<string, Test>([
  ...simple,
  ['divisibleby', comparing((_runtime, a, b) => whole(a) % whole(b) === 0)],
  ['sameas', comparing(sameObject)],
  ['in', comparing((runtime, a, b) => contains(runtime, b, a))],
  ['==', equal],
  ['eq', equal],
  ['equalto', equal],
  ['!=', unequal],
  ['ne', unequal],
  ['<', less],
  ['lt', less],
  ['lessthan', less],
  ['<=', lessOrEqual],
  ['le', lessOrEqual],
  ['>', greater],
  ['gt', greater],
  ['greaterthan', greater],
  ['>=', greaterOrEqual],
  ['ge', greaterOrEqual],
]);

/** Finds a test. Throws for an unknown name. */
export function findTest(name: string): Test {
  const test = tests.get(name);
  if (test === undefined) throw new PythonError('TemplateRuntimeError', `No test named '${name}' found.`);
  return test;
}
