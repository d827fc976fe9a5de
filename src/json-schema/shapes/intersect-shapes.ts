/** Intersects shapes. */
import { excludedWords, listedWords, type Term, type Terms } from '../../language/regular/terms.ts';
import { compareDecimals } from '../document/decimal.ts';
import type { Constraints } from './constraints.ts';
import { coversKey, onlyName, uniteKeys } from './key-sets.ts';
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
  const only =
    a.only === null || b.only === null
      ? (a.only ?? b.only)
      : a.only.filter((value) => b.only?.some((other) => compareDecimals(value, other) === 0));
  if (only?.length === 0) return null;
  return {
    type: 'number',
    integer: a.integer ?? b.integer,
    min: tighter(a.min, b.min, 1),
    max: tighter(a.max, b.max, -1),
    multiples: [...a.multiples, ...b.multiples],
    only,
    excluded: [...a.excluded, ...b.excluded],
  };
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
    const ofBoth = rulesOf(b, key, terms);
    for (const { constraint } of rulesOf(a, key, terms)) {
      if (ofBoth.some((other) => constraints.exclude(constraint, other.constraint))) return null;
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

/** The rules of `shape` that cover `key`. */
function rulesOf({ rules }: ObjectShape, key: string, terms: Terms): readonly PropertyRule[] {
  const known = rulesByKey.get(rules) ?? new Map<string, readonly PropertyRule[]>();
  rulesByKey.set(rules, known);
  const found = known.get(key) ?? rules.filter(({ keys }) => coversKey(terms, keys, key));
  known.set(key, found);
  return found;
}

const rulesByKey = new WeakMap<readonly PropertyRule[], Map<string, readonly PropertyRule[]>>();

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
  const follows = (rule: PropertyRule, others: readonly PropertyRule[], equal: boolean) => {
    const name = onlyName(rule.keys);
    return others.some(
      (other) =>
        name !== null &&
        (equal || other.constraint !== rule.constraint) &&
        onlyName(other.keys) === name &&
        constraints.implies(other.constraint, rule.constraint),
    );
  };
  const left = a.filter((rule) => !follows(rule, b, false));
  const more = b.filter((rule) => !follows(rule, left, true));
  return uniteRules(left.length === a.length ? a : left, more.length === b.length ? b : more);
}

/** Object rules that one step pays for, as a power of two. */
const rulesPerStep = 2;

/** Cost of intersecting each of `shapes` with each of `others`, which visits object rules one by one. */
export function costOfProduct(shapes: readonly Shape[], others: readonly Shape[]): number {
  const sizes = (all: readonly Shape[]) =>
    all.reduce((sum, shape) => sum + (shape.type === 'object' ? shape.rules.length : 0), 0);
  const rules = sizes(shapes) * others.length + sizes(others) * shapes.length;
  return shapes.length * others.length + (rules >> rulesPerStep);
}
