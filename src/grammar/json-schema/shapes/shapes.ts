/**
 * Shapes: what a schema says about values of one JSON type, as data that can be intersected. A schema
 * expands into a disjunction of shapes per type (`expand.ts`); nothing is ever overwritten.
 */
import type { Term, Terms } from '../../regular/terms.ts';
import type { Decimal } from '../document/decimal.ts';
import type { Constraint, Constraints } from './constraints.ts';
import { type KeySet, noKeys } from './key-sets.ts';

/** The types that a value is written as; an integer is a number. */
export const valueTypes = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const;
/** One of `valueTypes`. */
export type ValueType = (typeof valueTypes)[number];

/** What is asked of values of one type. A shape may still turn out to allow no value at all. */
export type Shape = NullShape | BooleanShape | NumberShape | StringShape | ArrayShape | ObjectShape;

/** `null`, of which nothing else can be asked. */
export interface NullShape {
  readonly type: 'null';
}
/** The booleans in `values`, one or both. */
export interface BooleanShape {
  readonly type: 'boolean';
  readonly values: readonly boolean[];
}
/** Numbers for which all of these hold. */
export interface NumberShape {
  readonly type: 'number';
  /** `true`: integers only; `false`: none of them; `null`: both. */
  readonly integer: boolean | null;
  readonly min: Bound | null;
  readonly max: Bound | null;
  readonly multiples: readonly Multiple[];
  /** Only these, or `null` for any. */
  readonly only: readonly Decimal[] | null;
  readonly excluded: readonly Decimal[];
}
/** Where a range of numbers ends. */
export interface Bound {
  readonly value: Decimal;
  readonly exclusive: boolean;
}
/** Whether the number must be, or must not be, a multiple of `of`. */
export interface Multiple {
  readonly of: Decimal;
  readonly holds: boolean;
}
/** Strings of a language, by their length. */
export interface StringShape {
  readonly type: 'string';
  readonly language: Term;
  /** The least length, in code points. */
  readonly min: number;
  /** The greatest length, or `null` for any. */
  readonly max: number | null;
}
/** Arrays for which all of these hold. */
export interface ArrayShape {
  readonly type: 'array';
  /** What the first items must be, one by one. */
  readonly prefix: readonly Constraint[];
  /** What every item after the prefix must be. */
  readonly rest: Constraint;
  /** Number of items, at least and (`null`: any) at most. */
  readonly min: number;
  readonly max: number | null;
  readonly contains: readonly Contained[];
  /** No two items are equal. */
  readonly unique: boolean;
  readonly evaluated: EvaluatedItems;
}
/** So many items meet a constraint; `max` is `null` for any number. */
export interface Contained {
  readonly constraint: Constraint;
  readonly min: number;
  readonly max: number | null;
}
/** Items that a keyword has looked at: so many from the start, and those that meet the constraints. */
export interface EvaluatedItems {
  /** `Infinity`: all. */
  readonly count: number;
  readonly constraints: readonly Constraint[];
}
/** Objects for which all of these hold. */
export interface ObjectShape {
  readonly type: 'object';
  /** Each holds for every property whose key it covers. */
  readonly rules: readonly PropertyRule[];
  readonly required: ReadonlySet<string>;
  /** Number of properties, at least and (`null`: any) at most. */
  readonly min: number;
  readonly max: number | null;
  /** For each, at least one property has a key that it covers and a value that meets its constraint. */
  readonly some: readonly PropertyRule[];
  /** The keys that a keyword has looked at. */
  readonly evaluated: KeySet;
  /** Each holds, and is not multiplied with the others: of thirty conditions, there would be 2^30 shapes. */
  readonly clauses: readonly Clause[];
}
/** Alternatives that only speak of keys by name, at least one of which holds. */
export type Clause = readonly ObjectShape[];
/** A set of keys and what it means for the values under them. */
export interface PropertyRule {
  readonly keys: KeySet;
  readonly constraint: Constraint;
}
/** The shapes that hold for every value of each type. */
export function anyShape(type: ValueType, terms: Terms, constraints: Constraints): Shape {
  switch (type) {
    case 'null':
      return { type };
    case 'boolean':
      return { type, values: [true, false] };
    case 'number':
      return { type, integer: null, min: null, max: null, multiples: [], only: null, excluded: [] };
    case 'string':
      return { type, language: terms.everything, min: 0, max: null };
    case 'array':
      return {
        type,
        prefix: [],
        rest: constraints.anything,
        min: 0,
        max: null,
        contains: [],
        unique: false,
        evaluated: { count: 0, constraints: [] },
      };
    case 'object':
      return {
        type,
        rules: [],
        required: noKeys.names,
        min: 0,
        max: null,
        some: [],
        evaluated: noKeys,
        clauses: [],
      };
  }
}

/** Whether `count` is from `min` to `max`; `null` is no upper limit. */
export function fitsRange(count: number, min: number, max: number | null): boolean {
  return count >= min && (max === null || count <= max);
}
