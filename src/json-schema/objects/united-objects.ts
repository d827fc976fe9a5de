/**
 * Merges alternative shapes at one location that differ only in requirements on named keys, such as the ways to
 * violate a schema, into one shape with a clause. Separate alternatives would duplicate everything they share, and a
 * matcher would have to follow all of them at once. With keys in any order, clauses cannot be tracked, so the
 * alternatives stay separate.
 */
import { groupBy } from '../../format/groups.ts';
import { objectShape } from '../shapes/any-shape.ts';
import { ruleKey, shapeKey } from '../shapes/shape-keys.ts';
import type { Clause, ObjectShape, PropertyRule } from '../shapes/shapes.ts';
import type { PlacedShape } from './tagged-objects.ts';

/** Clause states per alternative above which separate alternatives are smaller. */
const statesPerAlternative = 3;

/** Merges those of `placed` that can be one object with a clause. */
export function uniteObjects(placed: readonly PlacedShape[]): readonly PlacedShape[] {
  const groups = groupBy(placed, ({ location, shape }) => `${location.id} ${generalKey(shape)}`);
  return [...groups.values()].flatMap(uniteGroup);
}

/** Identifies a shape except for the values and presence of named keys. */
function generalKey(shape: ObjectShape): string {
  const rules = shape.rules.filter((rule) => !isNamed(rule));
  return shapeKey({ ...shape, rules, required: new Set() });
}

function isNamed({ keys }: PropertyRule): boolean {
  return !keys.complement && keys.patterns.length === 0;
}

/** Merges all of `group` into one shape, or only those that concern a single key each, or none. */
function uniteGroup(group: readonly PlacedShape[]): readonly PlacedShape[] {
  const [first] = group;
  if (first === undefined || group.length < 2) return group;
  const { location } = first;
  const common = commonPart(first.shape, group);
  const clause = group.map(({ shape }) => without(shape, common));
  const unite = (some: Clause): PlacedShape => ({
    shape: { ...common, clauses: [...common.clauses, some] },
    location,
  });
  if (isCheap(clause, location.keys)) return [unite(clause)];
  const isSingle = clause.map((each) => namesOf(each).size === 1);
  const single = clause.filter((_, at) => isSingle[at]);
  return single.length < 2 ? group : [unite(single), ...group.filter((_, at) => !isSingle[at])];
}

/** The requirements that all of `group` share. */
function commonPart(first: ObjectShape, group: readonly PlacedShape[]): ObjectShape {
  const said = group.map(({ shape }) => new Set(shape.rules.map(ruleKey)));
  const rules = first.rules.filter((rule) => said.every((each) => each.has(ruleKey(rule))));
  const required = [...first.required].filter((name) => group.every(({ shape }) => shape.required.has(name)));
  return { ...first, rules, required: new Set(required) };
}

/** The requirements of `shape` on named keys in addition to `common`. */
function without(shape: ObjectShape, common: ObjectShape): ObjectShape {
  const known = new Set(common.rules.map(ruleKey));
  return objectShape({
    rules: shape.rules.filter((rule) => !known.has(ruleKey(rule))),
    required: new Set([...shape.required].filter((name) => !common.required.has(name))),
  });
}

function namesOf({ rules, required }: ObjectShape): ReadonlySet<string> {
  return new Set([...required, ...rules.flatMap(({ keys }) => [...keys.names])]);
}

/** An alternative of a clause, with its requirements by key; equal requirements are equal strings. */
interface Asking {
  readonly index: number;
  readonly asks: ReadonlyMap<string, string>;
  readonly required: ReadonlySet<string>;
  /** Position of its last key in the order of keys. */
  readonly last: number;
}

/**
 * Whether few sets of alternatives are possible at once when keys come in `order`. Each set is a state when written
 * (see `pending-clauses.ts`), and alternatives that concern several keys can have as many sets as there are subsets.
 */
function isCheap(clause: Clause, order: readonly string[]): boolean {
  const named = new Set(clause.flatMap((each) => [...namesOf(each)]));
  const keys = [...new Set([...order, ...named])].filter((key) => named.has(key));
  const places = new Map(keys.map((key, place) => [key, place]));
  let states: readonly (readonly Asking[])[] = [clause.map((shape, index) => asking(shape, index, places))];
  let total = 0;
  for (const [place, key] of keys.entries()) {
    const next = new Map<string, readonly Asking[]>();
    for (const left of states.flatMap((state) => statesAfter(state, key))) {
      // Once an alternative holds, nothing is pending.
      if (left.length === 0 || left.some(({ last }) => last <= place)) continue;
      next.set(left.map(({ index }) => index).join(), left);
    }
    total += next.size;
    if (total > statesPerAlternative * clause.length) return false;
    states = [...next.values()];
  }
  return true;
}

function asking(shape: ObjectShape, index: number, places: ReadonlyMap<string, number>): Asking {
  const asks = new Map<string, string>();
  for (const { keys, constraint } of shape.rules)
    for (const name of keys.names) asks.set(name, `${asks.get(name) ?? ''} ${constraint.id}`);
  const last = Math.max(-1, ...[...namesOf(shape)].map((name) => places.get(name) ?? -1));
  return { index, asks, required: shape.required, last };
}

/** Possible states after `state` if `key` is absent, and for each value required of it. */
function statesAfter(state: readonly Asking[], key: string): readonly (readonly Asking[])[] {
  const byDemand = groupBy(state, ({ asks }) => asks.get(key) ?? '');
  return [state.filter(({ required }) => !required.has(key)), ...byDemand.values()];
}
