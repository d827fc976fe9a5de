/** Strings that identify shapes and their parts, for maps and comparison. */
import type { Term } from '../../language/regular/terms.ts';
import type { Constraint } from './constraints.ts';
import type { KeySet } from './key-sets.ts';
import type { Clause, ObjectShape, PropertyRule, Shape } from './shapes.ts';

const clauseKeys = new WeakMap<Clause, string>();

/** Equal for clauses that are structurally equal. */
export function clauseKey(clause: Clause): string {
  const known = clauseKeys.get(clause) ?? clause.map(shapeKey).sort().join(' or ');
  clauseKeys.set(clause, known);
  return known;
}

const ruleKeys = new WeakMap<PropertyRule, string>();

/** Equal for equivalent rules. */
export function ruleKey(rule: PropertyRule): string {
  const known = ruleKeys.get(rule);
  if (known !== undefined) return known;
  const key = `${keySetKey(rule.keys)} ${rule.constraint.id}`;
  ruleKeys.set(rule, key);
  return key;
}

const keySetKeys = new WeakMap<KeySet, string>();

/** Equal for equal sets of keys. */
function keySetKey(keys: KeySet): string {
  const known = keySetKeys.get(keys);
  if (known !== undefined) return known;
  const { names, patterns, complement } = keys;
  const key = JSON.stringify([[...names].sort(), patterns.map(({ id }) => id), complement]);
  keySetKeys.set(keys, key);
  return key;
}

const shapeKeys = new WeakMap<Shape, string>();

/** Equal for structurally equal shapes. */
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
    return isTerm(value) || isConstraint(value) ? value.id : value;
  });
}

function isTerm(value: unknown): value is Term {
  return typeof value === 'object' && value !== null && 'nullable' in value && 'id' in value;
}

function isConstraint(value: unknown): value is Constraint {
  return typeof value === 'object' && value !== null && 'nodes' in value && 'id' in value;
}

/**
 * The requirements of an object shape as separate strings: a shape with more requirements is part of one with fewer.
 */
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
