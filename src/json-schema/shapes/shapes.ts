/**
 * Shapes: what a schema asserts about values of one JSON type, as data that can be intersected. A schema expands to a
 * disjunction of shapes per type (`expand.ts`); nothing is ever overwritten.
 */
import type { Term } from '../../language/regular/terms.ts';
import type { Decimal } from '../document/decimal.ts';
import type { Constraint } from './constraints.ts';
import type { KeySet } from './key-sets.ts';

/** The JSON types of values; an integer is a number. */
export const valueTypes = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const;
/** One of `valueTypes`. */
export type ValueType = (typeof valueTypes)[number];

/** Conditions on values of one type. A shape may still turn out to be unsatisfiable. */
export type Shape = NullShape | BooleanShape | NumberShape | StringShape | ArrayShape | ObjectShape;

/** `null`, which has no further conditions. */
interface NullShape {
  readonly type: 'null';
}
/** The booleans in `values`, one or both. */
interface BooleanShape {
  readonly type: 'boolean';
  readonly values: readonly boolean[];
}
/** Numbers that meet all of these conditions. */
export interface NumberShape {
  readonly type: 'number';
  /** `true`: only integers; `false`: no integers; `null`: both. */
  readonly integer: boolean | null;
  readonly min: Bound | null;
  readonly max: Bound | null;
  readonly multiples: readonly Multiple[];
  /** Only these values; `null` for any. */
  readonly only: readonly Decimal[] | null;
  readonly excluded: readonly Decimal[];
}
/** An end of a range of numbers. */
export interface Bound {
  readonly value: Decimal;
  readonly exclusive: boolean;
}
/** A condition to be, or not to be, a multiple of `of`. */
export interface Multiple {
  readonly of: Decimal;
  readonly holds: boolean;
}
/** Strings of a language, restricted by length. */
export interface StringShape {
  readonly type: 'string';
  readonly language: Term;
  /** Minimum length in code points. */
  readonly min: number;
  /** Maximum length; `null` for any. */
  readonly max: number | null;
}
/** Arrays that meet all of these conditions. */
export interface ArrayShape {
  readonly type: 'array';
  /** Constraints of the first items. */
  readonly prefix: readonly Constraint[];
  /** Constraint of every item after the prefix. */
  readonly rest: Constraint;
  /** Minimum and maximum number of items; `max: null` is unbounded. */
  readonly min: number;
  readonly max: number | null;
  readonly contains: readonly Contained[];
  /** No two items may be equal. */
  readonly unique: boolean;
  readonly evaluated: EvaluatedItems;
}
/** The number of items that meet a constraint; `max: null` is unbounded. */
export interface Contained {
  readonly constraint: Constraint;
  readonly min: number;
  readonly max: number | null;
}
/** Items that some keyword evaluated: this many from the start, and those that meet the constraints. */
interface EvaluatedItems {
  /** `Infinity`: all. */
  readonly count: number;
  readonly constraints: readonly Constraint[];
}
/** Objects that meet all of these conditions. */
export interface ObjectShape {
  readonly type: 'object';
  /** Each applies to every property whose key it covers. */
  readonly rules: readonly PropertyRule[];
  readonly required: ReadonlySet<string>;
  /** Minimum and maximum number of properties; `max: null` is unbounded. */
  readonly min: number;
  readonly max: number | null;
  /** For each rule, at least one property must have a key that it covers and a value that meets its constraint. */
  readonly some: readonly PropertyRule[];
  /** Keys that some keyword evaluated. */
  readonly evaluated: KeySet;
  /** Conditions that all hold but are not multiplied out: thirty of them would be 2^30 shapes. */
  readonly clauses: readonly Clause[];
}
/** Alternatives that concern only named keys; at least one must hold. */
export type Clause = readonly ObjectShape[];
/** A set of keys, and the constraint of the values under them. */
export interface PropertyRule {
  readonly keys: KeySet;
  readonly constraint: Constraint;
}
/** Whether `count` is between `min` and `max`; `max: null` is unbounded. */
export function fitsRange(count: number, min: number, max: number | null): boolean {
  return count >= min && (max === null || count <= max);
}

/** The same for the number of characters of a text, which takes long to count. */
export function fitsLength(text: string, min: number, max: number | null): boolean {
  return (min === 0 && max === null) || fitsRange(Array.from(text).length, min, max);
}
