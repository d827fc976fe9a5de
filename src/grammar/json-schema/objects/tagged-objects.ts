/** Objects of a place that has a tag, by what stands under it: each branch then has keys and an order of its own. */
import type { JsonValue } from '../../../format/messages.ts';
import { listedWords } from '../../regular/terms.ts';
import { printDecimal } from '../document/decimal.ts';
import { fits } from '../numbers/number-language.ts';
import type { Compilation } from '../plan/compilation.ts';
import type { Place } from '../plan/places.ts';
import { scalarText, type Tag } from '../plan/tags.ts';
import { coversKey, type KeySet, noKeys } from '../shapes/key-sets.ts';
import type { ObjectShape, Shape } from '../shapes/shapes.ts';

/** A shape, and the place of all that it allows. */
export interface PlacedShape {
  readonly shape: ObjectShape;
  readonly place: Place;
}

/** `shape` at `place`, in parts that the tag of the place tells apart. */
export function splitByTag(
  shape: ObjectShape,
  place: Place,
  compilation: Compilation,
): readonly PlacedShape[] {
  const { places } = compilation;
  const tag = places.tag(place);
  if (tag === null) return [{ shape, place }];
  const listed = shape.required.has(tag.key) ? listedScalars(shape, tag.key, compilation) : null;
  const groups = new Set(listed?.map((text) => tag.groupOf.get(text)));
  const [text] = listed ?? [];
  if (text !== undefined && groups.size === 1) return [{ shape, place: places.tagged(place, tag, text) }];
  return splitByGroups(shape, place, tag, compilation);
}

function splitByGroups(
  shape: ObjectShape,
  place: Place,
  tag: Tag,
  compilation: Compilation,
): readonly PlacedShape[] {
  const { states, places, document } = compilation;
  const [owner] = place.nodes;
  if (owner === undefined) return [{ shape, place }];
  const keys: KeySet = { ...noKeys, names: new Set([tag.key]) };
  const node = (texts: readonly string[]) =>
    document.synthetic({ enum: texts.map((text): JsonValue => JSON.parse(text)) }, owner);
  const parts = tag.groups.map((group): PlacedShape => {
    const rule = { keys, state: states.of(node(group)) };
    const required = new Set([...shape.required, tag.key]);
    return {
      shape: { ...shape, required, rules: [...shape.rules, rule] },
      place: places.tagged(place, tag, group[0] ?? null),
    };
  });
  const others = { keys, state: states.of(node(tag.groups.flat()), false) };
  const rest = {
    shape: { ...shape, rules: [...shape.rules, others] },
    place: places.tagged(place, tag, null),
  };
  return [...parts, rest].filter((part) => compilation.productive([part.shape]).length > 0);
}

/** The scalars that `shape` lists for `key`; `null` where it allows other values. */
function listedScalars(shape: ObjectShape, key: string, compilation: Compilation): readonly string[] | null {
  const { states, terms } = compilation;
  const rules = shape.rules.filter((rule) => coversKey(terms, rule.keys, key));
  const state = rules.reduce((all, rule) => states.and(all, rule.state), states.anything);
  const found: string[] = [];
  for (const shapes of compilation.shapes(state).values()) {
    for (const each of shapes) {
      const scalars = scalarsOf(each);
      if (scalars === null) return null;
      found.push(...scalars);
    }
  }
  return found;
}

/** The values of a shape as `scalarText` writes them; `null` where they are not listed. */
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
