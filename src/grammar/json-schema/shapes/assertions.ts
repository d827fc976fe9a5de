/** What a keyword says about values of one type: the shapes for which it holds, and those for which not. */
import type { SchemaIssue } from '../../../format/errors.ts';
import type { JsonObject, JsonValue } from '../../../format/messages.ts';
import type { StepBudget } from '../../expression/budget.ts';
import type { Term, Terms } from '../../regular/terms.ts';
import type { SchemaDocument, SchemaNode } from '../document/schema-document.ts';
import type { Constraint, Constraints } from './constraints.ts';
import { noKeys } from './key-sets.ts';
import {
  type ArrayShape,
  anyShape,
  type NumberShape,
  type ObjectShape,
  type Shape,
  type StringShape,
  type ValueType,
} from './shapes.ts';

/** Both disjunctions are made on demand; together they cover every value of the type. */
export interface Assertion {
  readonly holds: () => readonly Shape[];
  readonly fails: () => readonly Shape[];
  /**
   * What holds for values that are of one of `others` anyway; may be larger than `holds` elsewhere. For
   * keywords whose alternatives are fewer where more is known.
   */
  readonly holdsAmong?: (others: readonly Shape[]) => readonly Shape[];
}

/** What keyword readers need to know and to ask. */
export interface ExpansionContext {
  readonly document: SchemaDocument;
  readonly terms: Terms;
  readonly constraints: Constraints;
  readonly budget: StepBudget;
  /** Says that the grammar does not enforce `keyword` of `node` exactly. */
  report(node: SchemaNode, keyword: string, reason: string, effect?: SchemaIssue['effect']): void;
  /** The shapes of `type` that `node` allows, or with `holds` false refuses. */
  shapesOf(node: SchemaNode, holds: boolean, type: ValueType): readonly Shape[];
  /** The strings of `constraint`, as a language. */
  stringsOf(constraint: Constraint): Term;
  /** The strings that the pattern matches somewhere, or `null` after a report. */
  patternLanguage(node: SchemaNode, keyword: string, pattern: string): Term | null;
  /** The strings of a format, or `null` where the format asserts nothing (or after a report). */
  formatLanguage(node: SchemaNode, format: string): Term | null;
}

/** Reads the keywords of one type from a schema. */
export type KeywordReader = (
  schema: JsonObject,
  node: SchemaNode,
  context: ExpansionContext,
) => readonly Assertion[];

/** An assertion that says the same whatever else is known. */
export function assertion(holds: () => readonly Shape[], fails: () => readonly Shape[]): Assertion {
  return { holds, fails };
}

/** A keyword that is not enforced: everything may hold and everything may fail. */
export function unenforced(type: ValueType, context: ExpansionContext): Assertion {
  const all = () => [anyShape(type, context.terms, context.constraints)];
  return { holds: all, fails: all };
}

/** Any number, with `changes`. */
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

/** Any string, with `changes`. */
export function stringShape(terms: Terms, changes: Partial<StringShape>): StringShape {
  return { type: 'string', language: terms.everything, min: 0, max: null, ...changes };
}

/** Any array, with `changes`. */
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

/** Any object, with `changes`. */
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

/** The value of a keyword that counts something, or `null` where it is not a count. */
export function countOf(value: JsonValue | undefined): number | null {
  return typeof value === 'number' && value >= 0 ? Math.ceil(value) : null;
}

/** `at least min`, and `less than min`. */
export function atLeast(min: number, make: (range: { min: number; max: number | null }) => Shape): Assertion {
  return assertion(
    () => [make({ min, max: null })],
    () => (min === 0 ? [] : [make({ min: 0, max: min - 1 })]),
  );
}

/** `at most max`, and `more than max`. */
export function atMost(max: number, make: (range: { min: number; max: number | null }) => Shape): Assertion {
  return assertion(
    () => [make({ min: 0, max })],
    () => [make({ min: max + 1, max: null })],
  );
}
