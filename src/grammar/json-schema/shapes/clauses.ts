/**
 * Disjunctions that are kept as they are. Conditions about different keys have nothing to do with each other, but
 * multiplied, twenty of two alternatives are a million shapes.
 */
import { objectShape } from './assertions.ts';
import type { Clause, ObjectShape, Shape } from './shapes.ts';

/** Clauses that multiply to no more alternatives are multiplied. */
const maxMultiplied = 8;

/** Makes a disjunction. */
export type Part = () => readonly Shape[];

/**
 * `parts`, which hold together, with one shape in place of those that would multiply: its clauses are about
 * different keys. `multiply` makes one disjunction of several.
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

/** `shapes` as a clause; `null` where they are but one, or speak of more than keys by name. */
function asClause(shapes: readonly Shape[]): Clause | null {
  const clause = shapes.filter(speaksOfNamesOnly);
  return shapes.length > 1 && clause.length === shapes.length ? clause : null;
}

function speaksOfNamesOnly(shape: Shape): shape is ObjectShape {
  if (shape.type !== 'object' || shape.min > 0 || shape.max !== null) return false;
  if (shape.some.length > 0 || shape.clauses.length > 0) return false;
  return shape.rules.every(({ keys }) => !keys.complement && keys.patterns.length === 0);
}

/** `clauses` in groups, those that speak of the same key in one. */
function bySubject(clauses: readonly Clause[]): readonly (readonly Clause[])[] {
  const names = clauses.map((clause) => new Set(clause.flatMap(namesOf)));
  const joined = joinSets(names);
  const groups = new Map<ReadonlySet<string> | undefined, Clause[]>();
  clauses.forEach((clause, index) => {
    const [name = ''] = names[index] ?? [];
    const group = groups.get(joined.get(name));
    if (group === undefined) groups.set(joined.get(name), [clause]);
    else group.push(clause);
  });
  return [...groups.values()];
}

function namesOf({ rules, required }: ObjectShape): readonly string[] {
  return [...required, ...rules.flatMap(({ keys }) => [...keys.names])];
}

/** By member, all that it is connected with through `sets`, itself among them. */
export function joinSets(sets: readonly ReadonlySet<string>[]): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const set of sets) {
    for (const member of set) if (!found.has(member)) found.set(member, new Set([member]));
    const clusters = new Set([...set].flatMap((member) => found.get(member) ?? []));
    const [largest, ...others] = [...clusters].sort((a, b) => b.size - a.size);
    if (largest === undefined) continue;
    // The smaller ones move, so that no member moves often.
    for (const member of others.flatMap((other) => [...other])) {
      largest.add(member);
      found.set(member, largest);
    }
  }
  return found;
}
