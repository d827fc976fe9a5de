/**
 * Shapes: what a schema says about values of one JSON type, as data that can be intersected. A schema
 * expands into a disjunction of shapes per type (`expand.ts`); nothing is ever overwritten.
 */
import { excludedWords, listedWords, type Term, type Terms } from '../../regular/terms.ts';
import type { Decimal } from '../document/decimal.ts';
import { compareDecimals } from '../document/decimal.ts';
import type { State, States } from './states.ts';

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
  readonly prefix: readonly State[];
  /** What every item after the prefix must be. */
  readonly rest: State;
  /** Number of items, at least and (`null`: any) at most. */
  readonly min: number;
  readonly max: number | null;
  readonly contains: readonly Contained[];
  /** No two items are equal. */
  readonly unique: boolean;
  readonly evaluated: EvaluatedItems;
}
/** So many items are of a state; `max` is `null` for any number. */
export interface Contained {
  readonly state: State;
  readonly min: number;
  readonly max: number | null;
}
/** Items that a keyword has looked at: so many from the start, and those of the states. */
export interface EvaluatedItems {
  /** `Infinity`: all. */
  readonly count: number;
  readonly states: readonly State[];
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
  /** For each, at least one property has a key that it covers and a value of its state. */
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
  readonly state: State;
}
/** The keys that are named or match a pattern; or, with `complement`, all others. */
export interface KeySet {
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly Term[];
  readonly complement: boolean;
}

/** No key. */
export const noKeys: KeySet = { names: new Set(), patterns: [], complement: false };
/** Every key. */
export const allKeys: KeySet = { ...noKeys, complement: true };

/** Whether `keys` covers `key`. */
export function coversKey(terms: Terms, keys: KeySet, key: string): boolean {
  const named = keys.names.has(key) || keys.patterns.some((pattern) => terms.matches(pattern, key));
  return named !== keys.complement;
}

/** Keys in either set; neither of them with `complement`, unless it is everything. */
export function uniteKeys(a: KeySet, b: KeySet): KeySet {
  if (a === noKeys) return b;
  if (b === noKeys) return a;
  if (a.complement || b.complement) return allKeys;
  return {
    names: new Set([...a.names, ...b.names]),
    patterns: [...a.patterns, ...b.patterns],
    complement: false,
  };
}

/** The shapes that hold for every value of each type. */
export function anyShape(type: ValueType, terms: Terms, states: States): Shape {
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
        rest: states.anything,
        min: 0,
        max: null,
        contains: [],
        unique: false,
        evaluated: { count: 0, states: [] },
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

/** What both shapes allow, or `null` where that is plainly nothing. Both are of one type. */
export function intersectShapes(a: Shape, b: Shape, terms: Terms, states: States): Shape | null {
  if (a.type === 'null') return a;
  if (a.type === 'boolean' && b.type === 'boolean') {
    const values = a.values.filter((value) => b.values.includes(value));
    return values.length === 0 ? null : { type: 'boolean', values };
  }
  if (a.type === 'number' && b.type === 'number') return intersectNumbers(a, b);
  if (a.type === 'string' && b.type === 'string') return intersectStrings(a, b, terms);
  if (a.type === 'array' && b.type === 'array') return intersectArrays(a, b, states);
  if (a.type === 'object' && b.type === 'object') return intersectObjects(a, b, terms, states);
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

/** The narrower of two bounds; `direction` is 1 for lower and -1 for upper bounds. */
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

/** The texts of a list that are of another language, too; `null` where neither is a list. */
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

function intersectArrays(a: ArrayShape, b: ArrayShape, states: States): ArrayShape | null {
  const [min, max] = intersectRanges(a, b);
  if (max !== null && max < min) return null;
  const length = Math.max(a.prefix.length, b.prefix.length);
  const prefix = Array.from({ length }, (_, at) =>
    states.and(a.prefix[at] ?? a.rest, b.prefix[at] ?? b.rest),
  );
  return {
    type: 'array',
    prefix,
    rest: states.and(a.rest, b.rest),
    min,
    max,
    contains: [...a.contains, ...b.contains],
    unique: a.unique || b.unique,
    evaluated: {
      count: Math.max(a.evaluated.count, b.evaluated.count),
      states: [...a.evaluated.states, ...b.evaluated.states],
    },
  };
}

function intersectObjects(a: ObjectShape, b: ObjectShape, terms: Terms, states: States): ObjectShape | null {
  const [min, max] = intersectRanges(a, b);
  if (max !== null && max < min) return null;
  const required = uniteNames(a.required, b.required);
  for (const key of required) {
    const ofBoth = rulesOf(b, key, terms);
    for (const { state } of rulesOf(a, key, terms)) {
      if (ofBoth.some((other) => states.exclude(state, other.state))) return null;
    }
  }
  return {
    type: 'object',
    rules: joinRules(a.rules, b.rules, states),
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

const clauseKeys = new WeakMap<Clause, string>();

/** A text that is equal for clauses that say the same in the same way. */
function clauseKey(clause: Clause): string {
  const known = clauseKeys.get(clause) ?? clause.map(shapeKey).sort().join(' or ');
  clauseKeys.set(clause, known);
  return known;
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

/** Whether `count` is from `min` to `max`; `null` is no upper limit. */
export function fitsRange(count: number, min: number, max: number | null): boolean {
  return count >= min && (max === null || count <= max);
}

const ruleKeys = new WeakMap<PropertyRule, string>();

/** A text that is equal for rules that say the same. */
function ruleKey(rule: PropertyRule): string {
  const known = ruleKeys.get(rule);
  if (known !== undefined) return known;
  const key = `${keySetKey(rule.keys)} ${rule.state.id}`;
  ruleKeys.set(rule, key);
  return key;
}

const keySetKeys = new WeakMap<KeySet, string>();

/** A text that is equal for equal sets of keys. */
function keySetKey(keys: KeySet): string {
  const known = keySetKeys.get(keys);
  if (known !== undefined) return known;
  const { names, patterns, complement } = keys;
  const key = JSON.stringify([[...names].sort(), patterns.map(({ id }) => id), complement]);
  keySetKeys.set(keys, key);
  return key;
}

function uniteRules(a: readonly PropertyRule[], b: readonly PropertyRule[]): readonly PropertyRule[] {
  if (a.length === 0) return b;
  if (b.length === 0) return a;
  const keys = new Set(a.map(ruleKey));
  const more = b.filter((rule) => !keys.has(ruleKey(rule)));
  return more.length === 0 ? a : [...a, ...more];
}

/** Rules of both, without those about one key that plainly follow from others. */
function joinRules(
  a: readonly PropertyRule[],
  b: readonly PropertyRule[],
  states: States,
): readonly PropertyRule[] {
  const follows = (rule: PropertyRule, others: readonly PropertyRule[], equal: boolean) => {
    const name = onlyName(rule.keys);
    return others.some(
      (other) =>
        name !== null &&
        (equal || other.state !== rule.state) &&
        onlyName(other.keys) === name &&
        states.implies(other.state, rule.state),
    );
  };
  const left = a.filter((rule) => !follows(rule, b, false));
  const more = b.filter((rule) => !follows(rule, left, true));
  return uniteRules(left.length === a.length ? a : left, more.length === b.length ? b : more);
}

/** The one key that `keys` covers, where it is but one. */
export function onlyName({ names, patterns, complement }: KeySet): string | null {
  if (names.size !== 1 || patterns.length > 0 || complement) return null;
  const [name] = names;
  return name ?? null;
}

const shapeKeys = new WeakMap<Shape, string>();

/** A text that is equal for shapes that say the same in the same way. */
export function shapeKey(shape: Shape): string {
  const known = shapeKeys.get(shape) ?? writeShapeKey(shape);
  shapeKeys.set(shape, known);
  return known;
}

function writeShapeKey(shape: Shape): string {
  if (shape.type === 'string') return `string ${shape.language.id} ${shape.min} ${shape.max}`;
  if (shape.type === 'object') return [...objectFacts(shape)].sort().join(' ');
  return JSON.stringify(shape, (_, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return isTerm(value) || isState(value) ? value.id : value;
  });
}

function isTerm(value: unknown): value is Term {
  return typeof value === 'object' && value !== null && 'nullable' in value && 'id' in value;
}

function isState(value: unknown): value is State {
  return typeof value === 'object' && value !== null && 'nodes' in value && 'id' in value;
}

/** What an object shape asks for, one by one: a shape that asks for more is part of one that asks for less. */
export function objectFacts({
  rules,
  required,
  min,
  max,
  some,
  evaluated,
  clauses,
}: ObjectShape): ReadonlySet<string> {
  const facts = new Set<string>();
  for (const rule of rules) facts.add(`rule ${ruleKey(rule)}`);
  for (const rule of some) facts.add(`some ${ruleKey(rule)}`);
  for (const name of required) facts.add(`required ${JSON.stringify(name)}`);
  for (const clause of clauses) facts.add(`clause ${clauseKey(clause)}`);
  if (min > 0) facts.add(`min ${min}`);
  if (max !== null) facts.add(`max ${max}`);
  facts.add(`evaluated ${keySetKey(evaluated)}`);
  return facts;
}
