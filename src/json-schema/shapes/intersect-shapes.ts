/** Intersects shapes. */

import { addToGroup } from '../../format/groups.ts';
import { excludedWords, listedWords, type Term, type Terms } from '../../language/regular/terms.ts';
import { compareDecimals, type Decimal, printDecimal } from '../document/decimal.ts';
import type { Constraints } from './constraints.ts';
import { coveringRules } from './covering-rules.ts';
import { onlyName, uniteKeys } from './key-sets.ts';
import { clauseKey, ruleKey } from './shape-keys.ts';
import type {
  ArrayShape,
  Bound,
  Clause,
  NumberShape,
  ObjectShape,
  PropertyRule,
  Shape,
  StringShape,
} from './shapes.ts';

/** The intersection of two shapes of one type; `null` if it is obviously empty. */
export function intersectShapes(a: Shape, b: Shape, terms: Terms, constraints: Constraints): Shape | null {
  if (a.type === 'null') return a;
  if (a.type === 'boolean' && b.type === 'boolean') {
    const values = a.values.filter((value) => b.values.includes(value));
    return values.length === 0 ? null : { type: 'boolean', values };
  }
  if (a.type === 'number' && b.type === 'number') return intersectNumbers(a, b);
  if (a.type === 'string' && b.type === 'string') return intersectStrings(a, b, terms);
  if (a.type === 'array' && b.type === 'array') return intersectArrays(a, b, constraints);
  if (a.type === 'object' && b.type === 'object') return intersectObjects(a, b, terms, constraints);
  return null;
}

function intersectNumbers(a: NumberShape, b: NumberShape): NumberShape | null {
  if (a.integer !== null && b.integer !== null && a.integer !== b.integer) return null;
  const excluded = [...a.excluded, ...b.excluded];
  const listed = a.only === null || b.only === null ? (a.only ?? b.only) : valuesAmong(a.only, b.only, true);
  const only = listed === null ? null : valuesAmong(listed, excluded, false);
  if (only?.length === 0) return null;
  return {
    type: 'number',
    integer: a.integer ?? b.integer,
    min: tighter(a.min, b.min, 1),
    max: tighter(a.max, b.max, -1),
    multiples: [...a.multiples, ...b.multiples],
    only,
    excluded: only === null ? excluded : [],
  };
}

/** Those of `values` that are among `others`, or those that are not. */
function valuesAmong(
  values: readonly Decimal[],
  others: readonly Decimal[],
  isAmong: boolean,
): readonly Decimal[] {
  const among = new Set(others.map(printDecimal));
  return values.filter((value) => among.has(printDecimal(value)) === isAmong);
}

/** The tighter of two bounds; `direction` is 1 for lower and -1 for upper bounds. */
function tighter(a: Bound | null, b: Bound | null, direction: 1 | -1): Bound | null {
  if (a === null || b === null) return a ?? b;
  const order = compareDecimals(a.value, b.value) * direction;
  if (order === 0) return a.exclusive ? a : b;
  return order > 0 ? a : b;
}

function intersectStrings(a: StringShape, b: StringShape, terms: Terms): StringShape | null {
  const language = listedInBoth(a.language, b.language, terms) ?? terms.and(a.language, b.language);
  const [min, max] = intersectRanges(a, b);
  if (language === terms.nothing || (max !== null && max < min)) return null;
  return { type: 'string', language, min, max };
}

/** The intersection if either language is a list; `null` otherwise. */
function listedInBoth(a: Term, b: Term, terms: Terms): Term | null {
  const [listed, other] = listedWords(a) === null ? [b, a] : [a, b];
  const words = listedWords(listed);
  if (words === null || other === terms.everything) return null;
  const wanted = listedWords(other);
  const unwanted = excludedWords(other);
  if (wanted === null && unwanted === null)
    return terms.words(words.filter((word) => terms.matches(other, word)));
  const among = new Set(wanted ?? unwanted);
  return terms.words(words.filter((word) => among.has(word) === (wanted !== null)));
}

function intersectRanges(a: CountRange, b: CountRange): [min: number, max: number | null] {
  const max = a.max === null || b.max === null ? (a.max ?? b.max) : Math.min(a.max, b.max);
  return [Math.max(a.min, b.min), max];
}

interface CountRange {
  readonly min: number;
  readonly max: number | null;
}

function intersectArrays(a: ArrayShape, b: ArrayShape, constraints: Constraints): ArrayShape | null {
  const [min, max] = intersectRanges(a, b);
  if (max !== null && max < min) return null;
  const length = Math.max(a.prefix.length, b.prefix.length);
  const prefix = Array.from({ length }, (_, at) =>
    constraints.and(a.prefix[at] ?? a.rest, b.prefix[at] ?? b.rest),
  );
  return {
    type: 'array',
    prefix,
    rest: constraints.and(a.rest, b.rest),
    min,
    max,
    contains: [...a.contains, ...b.contains],
    unique: a.unique || b.unique,
    evaluated: {
      count: Math.max(a.evaluated.count, b.evaluated.count),
      constraints: [...a.evaluated.constraints, ...b.evaluated.constraints],
    },
  };
}

function intersectObjects(
  a: ObjectShape,
  b: ObjectShape,
  terms: Terms,
  constraints: Constraints,
): ObjectShape | null {
  const [min, max] = intersectRanges(a, b);
  if (max !== null && max < min) return null;
  const required = uniteNames(a.required, b.required);
  for (const key of required) {
    const others = coveringRules(b.rules, key, terms);
    for (const { constraint } of coveringRules(a.rules, key, terms)) {
      if (others.some((other) => constraints.exclude(constraint, other.constraint))) return null;
    }
  }
  return {
    type: 'object',
    rules: joinRules(a.rules, b.rules, constraints),
    required,
    min,
    max,
    some: uniteRules(a.some, b.some),
    evaluated: uniteKeys(a.evaluated, b.evaluated),
    clauses: uniteClauses(a.clauses, b.clauses),
  };
}

function uniteClauses(a: readonly Clause[], b: readonly Clause[]): readonly Clause[] {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  return [...new Map([...a, ...b].map((clause) => [clauseKey(clause), clause])).values()];
}

function uniteNames(a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlySet<string> {
  if (a.size === 0) return b;
  return b.size === 0 ? a : new Set([...a, ...b]);
}

function uniteRules(a: readonly PropertyRule[], b: readonly PropertyRule[]): readonly PropertyRule[] {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const keys = new Set(a.map(ruleKey));
  const more = b.filter((rule) => !keys.has(ruleKey(rule)));
  return more.length === 0 ? a : [...a, ...more];
}

/** The rules of both, without single-key rules that obviously follow from others. */
function joinRules(
  a: readonly PropertyRule[],
  b: readonly PropertyRule[],
  constraints: Constraints,
): readonly PropertyRule[] {
  const follows = ({ keys, constraint }: PropertyRule, others: RulesByName, equal: boolean) => {
    const name = onlyName(keys);
    const same = name === null ? [] : (others.get(name) ?? []);
    return same.some(
      (other) =>
        (equal || other.constraint !== constraint) && constraints.implies(other.constraint, constraint),
    );
  };
  const ofB = rulesByName(b);
  const left = a.filter((rule) => !follows(rule, ofB, false));
  const ofLeft = rulesByName(left);
  const more = b.filter((rule) => !follows(rule, ofLeft, true));
  return uniteRules(left.length === a.length ? a : left, more.length === b.length ? b : more);
}

type RulesByName = ReadonlyMap<string, readonly PropertyRule[]>;

/** The rules for a single key. */
function rulesByName(rules: readonly PropertyRule[]): RulesByName {
  const byName = new Map<string, PropertyRule[]>();
  for (const rule of rules) {
    const name = onlyName(rule.keys);
    if (name !== null) addToGroup(byName, name, rule);
  }
  return byName;
}

/** Parts of shapes that one step pays for. */
const partsPerStep = 4;
/** What is only copied costs this part of what is compared. */
const copied = 1 / 8;

/** Cost of intersecting each of `shapes` with each of `others`, which visits their parts one by one. */
export function costOfProduct(shapes: readonly Shape[], others: readonly Shape[]): number {
  const sizes = (all: readonly Shape[]) => all.reduce((sum, shape) => sum + sizeOf(shape), 0);
  const parts = sizes(shapes) * others.length + sizes(others) * shapes.length;
  return shapes.length * others.length + Math.floor(parts / partsPerStep);
}

function sizeOf(shape: Shape): number {
  switch (shape.type) {
    case 'object':
      return shape.rules.length + shape.clauses.length + shape.required.size * copied;
    case 'array':
      return shape.prefix.length + shape.contains.length * copied;
    case 'number':
      return (shape.multiples.length + shape.excluded.length) * copied;
    default:
      return 0;
  }
}
