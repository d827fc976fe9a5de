/** What a keyword asserts about values of one type: shapes for which it holds, and for which it fails. */
import type { SchemaIssue } from '../../format/errors.ts';
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import type { StepBudget } from '../../language/expression/budget.ts';
import type { Term, Terms } from '../../language/regular/terms.ts';
import type { IntegerRange } from '../document/formats.ts';
import type { SchemaDocument, SchemaNode } from '../document/schema-document.ts';
import { anyShape } from './any-shape.ts';
import type { Constraint, Constraints } from './constraints.ts';
import type { Shape, ValueType } from './shapes.ts';

/** Two disjunctions, computed on demand; together they cover every value of the type. */
export interface Assertion {
  readonly holds: () => readonly Shape[];
  readonly fails: () => readonly Shape[];
  /**
   * Shapes for values known to be of one of `others`; elsewhere they may allow more than `holds`. For keywords that
   * have fewer alternatives when more is known.
   */
  readonly holdsAmong?: (others: readonly Shape[]) => readonly Shape[];
}

/** Dependencies of keyword readers. */
export interface ExpansionContext {
  readonly document: SchemaDocument;
  readonly terms: Terms;
  readonly constraints: Constraints;
  readonly budget: StepBudget;
  /** Reports that the grammar does not enforce `keyword` of `node` exactly. */
  report(node: SchemaNode, keyword: string, reason: string, effect?: SchemaIssue['effect']): void;
  /** The shapes of `type` that `node` allows, or, if `holds` is false, rejects. */
  shapesOf(node: SchemaNode, holds: boolean, type: ValueType): readonly Shape[];
  /** The strings of `constraint` as a language. */
  stringsOf(constraint: Constraint): Term;
  /** The strings that contain a match of the pattern; `null` after reporting a failure. */
  patternLanguage(node: SchemaNode, keyword: string, pattern: string): Term | null;
  /** The strings of a format; `null` if it asserts nothing, or after reporting a failure. */
  formatLanguage(node: SchemaNode, format: string): Term | null;
  /** The integers of a format; `null` if it asserts nothing about numbers. */
  formatRange(node: SchemaNode, format: string): IntegerRange | null;
}

/** Reads the keywords of one type from a schema. */
export type KeywordReader = (
  schema: JsonObject,
  node: SchemaNode,
  context: ExpansionContext,
) => readonly Assertion[];

/** An assertion that does not depend on other knowledge. */
export function assertion(holds: () => readonly Shape[], fails: () => readonly Shape[]): Assertion {
  return { holds, fails };
}

/** A keyword that is not enforced: everything may hold, and everything may fail. */
export function unenforced(type: ValueType, context: ExpansionContext): Assertion {
  const all = () => [anyShape(type, context.terms, context.constraints)];
  return { holds: all, fails: all };
}

/** The value of a counting keyword; `null` if it is not a count. */
export function countOf(value: JsonValue | undefined): number | null {
  return typeof value === 'number' && value >= 0 ? Math.ceil(value) : null;
}

/** Makes the shape of values with so many characters, items or properties. */
type ShapeOfCount = (range: { readonly min: number; readonly max: number | null }) => Shape;

/** The assertions of two keywords: one for the least count, and one for the most. */
export function countAssertions(
  schema: JsonObject,
  [least, most]: readonly [least: string, most: string],
  make: ShapeOfCount,
): readonly Assertion[] {
  const [min, max] = [schema[least], schema[most]];
  return [
    ...(countOf(min) === null ? [] : [atLeast(Math.ceil(Number(min)), make)]),
    ...(countOf(max) === null ? [] : [atMost(Math.floor(Number(max)), make)]),
  ];
}

/** Holds for `at least min`, fails for `less than min`. */
function atLeast(min: number, make: ShapeOfCount): Assertion {
  return assertion(
    () => [make({ min, max: null })],
    () => (min === 0 ? [] : [make({ min: 0, max: min - 1 })]),
  );
}

/** Holds for `at most max`, fails for `more than max`. */
function atMost(max: number, make: ShapeOfCount): Assertion {
  return assertion(
    () => [make({ min: 0, max })],
    () => [make({ min: max + 1, max: null })],
  );
}
