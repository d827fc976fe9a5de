/**
 * Disjunctions that are not multiplied out. Conditions about different keys are independent, but multiplied, twenty
 * conditions of two alternatives become a million shapes.
 */
import { groupBy } from '../../format/groups.ts';
import { objectShape } from './any-shape.ts';
import type { Clause, ObjectShape, Shape } from './shapes.ts';

/** Clauses with at most this many combined alternatives are multiplied. */
const maxMultiplied = 8;

/** A disjunction, computed on demand. */
export type Part = () => readonly Shape[];

/**
 * Replaces those of the conjunction `parts` that are about different keys by one shape with clauses, rather than
 * multiply them. `multiply` combines several disjunctions into one.
 */
export function keptApart(
  parts: readonly Part[],
  multiply: (parts: readonly Part[]) => readonly Shape[],
): readonly Part[] {
  if (parts.length < 2) return parts;
  const lists: (readonly Shape[])[] = [];
  for (const part of parts) {
    const list = part();
    if (list.length === 0) return [() => list];
    lists.push(list);
  }
  return separate(lists, multiply).map((list) => () => list);
}

function separate(
  lists: readonly (readonly Shape[])[],
  multiply: (parts: readonly Part[]) => readonly Shape[],
): readonly (readonly Shape[])[] {
  const clauses = lists.map(asClause).filter((clause) => clause !== null);
  const subjects = clauses.length < 2 ? [] : bySubject(clauses);
  if (subjects.length < 2) return lists;
  const together = subjects.map((each) => multiply(each.map((clause) => () => clause)));
  if (together.reduce((product, each) => product * each.length, 1) <= maxMultiplied) return lists;
  const kept = together.map(asClause).filter((clause) => clause !== null);
  const rest = together.filter((each) => asClause(each) === null);
  const others = lists.filter((list) => asClause(list) === null);
  return [...others, ...rest, [objectShape({ clauses: kept })]];
}

/** `shapes` as a clause; `null` if there are fewer than two, or if they concern more than named keys. */
function asClause(shapes: readonly Shape[]): Clause | null {
  const clause = shapes.filter(speaksOfNamesOnly);
  return shapes.length > 1 && clause.length === shapes.length ? clause : null;
}

function speaksOfNamesOnly(shape: Shape): shape is ObjectShape {
  if (shape.type !== 'object' || shape.min > 0 || shape.max !== null) return false;
  if (shape.some.length > 0 || shape.clauses.length > 0) return false;
  return shape.rules.every(({ keys }) => !keys.complement && keys.patterns.length === 0);
}

/** Groups `clauses` that share a key. */
function bySubject(clauses: readonly Clause[]): readonly (readonly Clause[])[] {
  const names = clauses.map((clause) => new Set(clause.flatMap(namesOf)));
  const joined = connectedMembers(names);
  const groups = groupBy(clauses, (_, index) => {
    const [name = ''] = names[index] ?? [];
    return joined.get(name);
  });
  return [...groups.values()];
}

function namesOf({ rules, required }: ObjectShape): readonly string[] {
  return [...required, ...rules.flatMap(({ keys }) => [...keys.names])];
}

/** For each member, all members connected with it through `sets`, including itself. */
export function connectedMembers(
  sets: readonly ReadonlySet<string>[],
): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const set of sets) {
    for (const member of set) if (!found.has(member)) found.set(member, new Set([member]));
    const groups = new Set([...set].flatMap((member) => found.get(member) ?? []));
    const [largest, ...others] = [...groups].sort((a, b) => b.size - a.size);
    if (largest === undefined) continue;
    // Merge the smaller sets into the largest, so that members move rarely.
    for (const member of others.flatMap((other) => [...other])) {
      largest.add(member);
      found.set(member, largest);
    }
  }
  return found;
}
