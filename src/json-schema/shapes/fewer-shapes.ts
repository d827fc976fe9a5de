/** Simplifies disjunctions of shapes: the same values in fewer shapes. */
import type { StepBudget } from '../../language/expression/budget.ts';
import type { Constraint, Constraints } from './constraints.ts';
import { onlyName } from './key-sets.ts';
import { objectFacts } from './shape-keys.ts';
import type { ObjectShape, Shape } from './shapes.ts';

const maxSubsumed = 1500;

/** Removes those of `shapes`, all of one type, that are obviously part of another. */
export function subsume(shapes: readonly Shape[]): readonly Shape[] {
  if (shapes.length < 2 || shapes.length > maxSubsumed) return shapes;
  const facts = shapes.flatMap((shape) => (shape.type === 'object' ? [objectFacts(shape)] : []));
  if (facts.length < shapes.length) return shapes;
  const bits = asBits(facts);
  const bySize = facts.map((_, index) => index).sort((a, b) => (facts[a]?.size ?? 0) - (facts[b]?.size ?? 0));
  const kept: Uint32Array[] = [];
  const left = new Set<number>();
  for (const index of bySize) {
    const own = bits[index] ?? new Uint32Array();
    if (kept.some((other) => hasAll(own, other))) continue;
    kept.push(own);
    left.add(index);
  }
  return left.size === shapes.length ? shapes : shapes.filter((_, index) => left.has(index));
}

/** Converts each set to a bit set over all members of all sets. */
function asBits(sets: readonly ReadonlySet<string>[]): readonly Uint32Array[] {
  const numbers = new Map<string, number>();
  for (const set of sets) for (const each of set) if (!numbers.has(each)) numbers.set(each, numbers.size);
  return sets.map((set) => {
    const bits = new Uint32Array((numbers.size + 31) >> 5);
    for (const each of set) {
      const number = numbers.get(each) ?? 0;
      bits[number >> 5] = (bits[number >> 5] ?? 0) | (1 << (number & 31));
    }
    return bits;
  });
}

function hasAll(all: Uint32Array, some: Uint32Array): boolean {
  for (let at = 0; at < some.length; at += 1) if (((some[at] ?? 0) & ~(all[at] ?? 0)) !== 0) return false;
  return true;
}

/**
 * Merges a shape that excludes a key with a shape that allows it and is otherwise equal: the key becomes optional.
 * Failures of `required` combined with `properties` give such pairs, and each pair doubles the alternatives of
 * everything it is combined with.
 */
export function uniteAbsent(
  shapes: readonly Shape[],
  { nothing }: Constraints,
  budget: StepBudget,
): readonly Shape[] {
  const objects = shapes.filter((shape) => shape.type === 'object');
  if (objects.length < shapes.length) return shapes;
  let left: readonly ObjectShape[] = objects;
  for (const key of sometimesAbsent(objects, nothing)) left = uniteByKey(left, key, { nothing, budget });
  return left;
}

/** Keys that one shape requires and another excludes. */
function sometimesAbsent(shapes: readonly ObjectShape[], nothing: Constraint): ReadonlySet<string> {
  const required = new Set(shapes.flatMap((shape) => [...shape.required]));
  const keys = new Set<string>();
  for (const { rules } of shapes) {
    for (const { constraint, keys: covered } of rules) {
      const name = constraint === nothing ? onlyName(covered) : null;
      if (name !== null && required.has(name)) keys.add(name);
    }
  }
  return keys;
}

/** Rules and required keys that one step pays for, as a power of two. */
const factsPerStep = 4;

/** Merges those of `shapes` that differ only in the presence of `key`. */
function uniteByKey(
  shapes: readonly ObjectShape[],
  key: string,
  { nothing, budget }: { readonly nothing: Constraint; readonly budget: StepBudget },
): readonly ObjectShape[] {
  const facts = shapes.reduce((sum, { rules, required }) => sum + rules.length + required.size, 0);
  budget.spend(facts >> factsPerStep);
  const absent = new Map<string, ObjectShape>();
  for (const shape of shapes) {
    if (isAbsent(shape, key, nothing)) absent.set(withoutKey(shape, key), shape);
  }
  if (absent.size === 0) return shapes;
  const covered = new Set<ObjectShape>();
  const united = shapes.map((shape) => {
    if (!shape.required.has(key)) return shape;
    const other = absent.get(withoutKey(shape, key));
    if (other === undefined || other === shape) return shape;
    covered.add(other);
    return { ...shape, required: new Set([...shape.required].filter((each) => each !== key)) };
  });
  return united.filter((shape) => !covered.has(shape));
}

function isAbsent({ rules, required }: ObjectShape, key: string, nothing: Constraint): boolean {
  return (
    !required.has(key) &&
    rules.some(({ keys, constraint }) => constraint === nothing && onlyName(keys) === key)
  );
}

/** Equal for shapes that agree on all keys except `key`. */
function withoutKey(shape: ObjectShape, key: string): string {
  const required = new Set([...shape.required].filter((each) => each !== key));
  const rules = shape.rules.filter(({ keys }) => onlyName(keys) !== key);
  return [...objectFacts({ ...shape, required, rules })].sort().join(' ');
}

/**
 * The first of `shapes` that only excludes a key or gives it some value; all of them if there is none. For a failing
 * branch of open objects, this is the relevant part: its key is absent.
 */
export function simplest(shapes: readonly Shape[]): readonly Shape[] {
  const absence = shapes.find((shape) => {
    if (shape.type !== 'object' || shape.required.size > 0 || shape.rules.length !== 1) return false;
    const [rule] = shape.rules;
    const alone =
      shape.min === 0 && shape.max === null && shape.some.length === 0 && shape.clauses.length === 0;
    return alone && rule !== undefined && onlyName(rule.keys) !== null;
  });
  return absence === undefined ? shapes : [absence];
}
