/** Binds the arguments of a call to the parameters of filters, tests and methods. */
import type { Runtime } from './runtime.ts';
import { dataText, type Text } from './traced-text.ts';
import {
  type Keywords,
  numeric,
  PythonError,
  textOf,
  truthy,
  typeName,
  Undefined,
  undefinedError,
  type Value,
} from './values.ts';

/**
 * The arguments in the order of the parameters, `undefined` if not given. The first `positional` parameters cannot be
 * named. Throws as Python does for too many, unknown or missing arguments.
 */
export function bind(
  callee: string,
  names: readonly string[],
  args: readonly Value[],
  keywords: Keywords,
  required = 0,
  positional = 0,
): (Value | undefined)[] {
  if (args.length > names.length) {
    throw new PythonError(
      'TypeError',
      `${callee}() takes at most ${names.length} arguments (${args.length} given)`,
    );
  }
  const bound: (Value | undefined)[] = names.map((_, index) => args[index]);
  for (const [name, value] of keywords) {
    const index = names.indexOf(name, positional);
    if (index < 0) {
      throw new PythonError('TypeError', `${callee}() got an unexpected keyword argument '${name}'`);
    }
    bound[index] = value;
  }
  for (let index = 0; index < required; index += 1) {
    if (bound[index] === undefined) {
      throw new PythonError('TypeError', `${callee}() missing required argument '${names[index]}'`);
    }
  }
  return bound;
}

/** A method of a type; its object comes before its arguments. */
export type Method<Self> = (
  runtime: Runtime,
  self: Self,
  args: readonly Value[],
  keywords: Keywords,
) => Value;

/** What a method does with the values of its parameters, `undefined` if not given. `name` is its own, for errors. */
export type MethodBody<Self> = (
  runtime: Runtime,
  self: Self,
  values: readonly (Value | undefined)[],
  name: string,
) => Value;

/**
 * Methods, or filters, by name: the parameters of each, with `?` after those that may be left out and, as in Python, a
 * `/` after those that cannot be named, and its body; or one that reads its arguments itself.
 */
export function methodTable<Self>(
  methods: Readonly<Record<string, Method<Self> | readonly [parameters: string, body: MethodBody<Self>]>>,
): ReadonlyMap<string, Method<Self>> {
  return new Map(
    Object.entries(methods).map(([name, method]) => [
      name,
      typeof method === 'function' ? method : bound(name, ...method),
    ]),
  );
}

function bound<Self>(name: string, parameters: string, body: MethodBody<Self>): Method<Self> {
  const [positional = '', nameable = ''] = parameters.includes('/')
    ? parameters.split('/')
    : ['', parameters];
  const unnamed = words(positional);
  const given = [...unnamed, ...words(nameable)];
  const names = given.map((each) => each.replace('?', ''));
  const required = given.filter((each) => !each.endsWith('?')).length;
  return (runtime, self, args, keywords) =>
    body(runtime, self, bind(name, names, args, keywords, required, unnamed.length), name);
}

function words(text: string): readonly string[] {
  return text.split(' ').filter((each) => each !== '');
}

/** An argument that must be text. */
export function textArgument(callee: string, value: Value | undefined, otherwise?: string): string {
  if (value === undefined && otherwise !== undefined) return otherwise;
  const text = value === undefined ? null : textOf(value);
  if (text !== null) return text;
  if (value instanceof Undefined) throw undefinedError(value);
  throw new PythonError('TypeError', `${callee}() needs text, not ${typeName(value ?? null)}`);
}

/** An argument that must be a whole number. */
export function integerArgument(callee: string, value: Value | undefined, otherwise: number): number {
  if (value === undefined) return otherwise;
  const number = numeric(value);
  if (number !== null && Number.isInteger(number)) return number;
  if (value instanceof Undefined) throw undefinedError(value);
  throw new PythonError('TypeError', `${callee}() needs a whole number, not ${typeName(value)}`);
}

/** A boolean argument; false if not given. */
export function flagArgument(value: Value | undefined): boolean {
  return value !== undefined && truthy(value);
}

/**
 * Keyword arguments as the entries of a dict. They may come from a dict of the input, so in a traced render their
 * names count as data.
 */
export function keywordEntries(runtime: Runtime, keywords: Keywords): readonly (readonly [Text, Value])[] {
  runtime.charge(keywords.size);
  return Array.from(keywords, ([name, value]) => [runtime.traced ? dataText(name) : name, value] as const);
}
