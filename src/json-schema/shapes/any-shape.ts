/** Shapes of all values of a type, and such shapes restricted by a few conditions. */
import type { Terms } from '../../language/regular/terms.ts';
import type { Constraints } from './constraints.ts';
import { noKeys } from './key-sets.ts';
import type { ArrayShape, NumberShape, ObjectShape, Shape, StringShape, ValueType } from './shapes.ts';

/** The shape of all values of `type`. */
export function anyShape(type: ValueType, terms: Terms, constraints: Constraints): Shape {
  switch (type) {
    case 'null':
      return { type };
    case 'boolean':
      return { type, values: [true, false] };
    case 'number':
      return numberShape({});
    case 'string':
      return stringShape(terms, {});
    case 'array':
      return arrayShape(constraints, {});
    case 'object':
      return objectShape({});
  }
}

/** Any number, restricted by `changes`. */
export function numberShape(changes: Partial<NumberShape>): NumberShape {
  return {
    type: 'number',
    integer: null,
    min: null,
    max: null,
    multiples: [],
    only: null,
    excluded: [],
    ...changes,
  };
}

/** Any string, restricted by `changes`. */
export function stringShape(terms: Terms, changes: Partial<StringShape>): StringShape {
  return { type: 'string', language: terms.everything, min: 0, max: null, ...changes };
}

/** Any array, restricted by `changes`. */
export function arrayShape(constraints: Constraints, changes: Partial<ArrayShape>): ArrayShape {
  return {
    type: 'array',
    prefix: [],
    rest: constraints.anything,
    min: 0,
    max: null,
    contains: [],
    unique: false,
    evaluated: { count: 0, constraints: [] },
    ...changes,
  };
}

/** Any object, restricted by `changes`. */
export function objectShape(changes: Partial<ObjectShape>): ObjectShape {
  return {
    type: 'object',
    rules: [],
    required: noKeys.names,
    min: 0,
    max: null,
    some: [],
    evaluated: noKeys,
    clauses: [],
    ...changes,
  };
}
