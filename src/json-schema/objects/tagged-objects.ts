/** Splits objects of a location with a tag by the tag's value: each branch then has its own keys and order. */
import type { JsonValue } from '../../format/messages.ts';
import { listedWords } from '../../language/regular/terms.ts';
import { printDecimal } from '../document/decimal.ts';
import { fits } from '../numbers/number-language.ts';
import type { Compilation } from '../plan/compilation.ts';
import type { InstanceLocation } from '../plan/instance-locations.ts';
import { scalarText, type Tag } from '../plan/tags.ts';
import { coveringRules } from '../shapes/covering-rules.ts';
import { type KeySet, noKeys } from '../shapes/key-sets.ts';
import type { ObjectShape, Shape } from '../shapes/shapes.ts';

/** A shape, and the location of its values. */
export interface PlacedShape {
  readonly shape: ObjectShape;
  readonly location: InstanceLocation;
}

/** Splits `shape` at `location` by the location's tag. */
export function splitByTag(
  shape: ObjectShape,
  location: InstanceLocation,
  compilation: Compilation,
): readonly PlacedShape[] {
  const { locations } = compilation;
  const tag = locations.tag(location);
  if (tag === null) return [{ shape, location }];
  const listed = shape.required.has(tag.key) ? listedScalars(shape, tag.key, compilation) : null;
  const groups = new Set(listed?.map((text) => tag.groupOf.get(text)));
  const [text] = listed ?? [];
  if (text !== undefined && groups.size === 1)
    return [{ shape, location: locations.tagged(location, tag, text) }];
  return splitByGroups(shape, location, tag, compilation);
}

function splitByGroups(
  shape: ObjectShape,
  location: InstanceLocation,
  tag: Tag,
  compilation: Compilation,
): readonly PlacedShape[] {
  const { constraints, locations, document } = compilation;
  const [owner] = location.nodes;
  if (owner === undefined) return [{ shape, location }];
  const keys: KeySet = { ...noKeys, names: new Set([tag.key]) };
  const node = (texts: readonly string[]) =>
    document.synthetic({ enum: texts.map((text): JsonValue => JSON.parse(text)) }, owner);
  const parts = tag.groups.map((group): PlacedShape => {
    const rule = { keys, constraint: constraints.of(node(group)) };
    const required = new Set([...shape.required, tag.key]);
    return {
      shape: { ...shape, required, rules: [...shape.rules, rule] },
      location: locations.tagged(location, tag, group[0] ?? null),
    };
  });
  const others = { keys, constraint: constraints.of(node(tag.groups.flat()), false) };
  const rest = {
    shape: { ...shape, rules: [...shape.rules, others] },
    location: locations.tagged(location, tag, null),
  };
  return [...parts, rest].filter((part) => compilation.satisfiable([part.shape]).length > 0);
}

/** The scalars that `shape` lists for `key`; `null` if it allows other values. */
function listedScalars(shape: ObjectShape, key: string, compilation: Compilation): readonly string[] | null {
  const { constraints, terms } = compilation;
  const rules = coveringRules(shape.rules, key, terms);
  const constraint = rules.reduce((all, rule) => constraints.and(all, rule.constraint), constraints.anything);
  const found: string[] = [];
  for (const shapes of compilation.shapes(constraint).values()) {
    for (const each of shapes) {
      const scalars = scalarsOf(each);
      if (scalars === null) return null;
      found.push(...scalars);
    }
  }
  return found;
}

/** The values of a shape in the form of `scalarText`; `null` if they are not listed. */
function scalarsOf(shape: Shape): readonly string[] | null {
  switch (shape.type) {
    case 'null':
      return ['null'];
    case 'boolean':
      return shape.values.map(scalarText);
    case 'number':
      return shape.only?.filter((value) => fits(value, shape)).map(printDecimal) ?? null;
    case 'string':
      return listedWords(shape.language)?.map(scalarText) ?? null;
    default:
      return null;
  }
}
