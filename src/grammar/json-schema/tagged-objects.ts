/** Objects of a place that has a tag, by what stands under it: each branch then has keys and an order of its own. */
import { listedWords } from '../regular/terms.ts';
import type { Compilation } from './compilation.ts';
import type { Place } from './places.ts';
import { coversKey, type KeySet, noKeys, type ObjectShape } from './shapes.ts';
import type { Tag } from './tags.ts';

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
  const listed = shape.required.has(tag.key) ? listedTexts(shape, tag.key, compilation) : null;
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
  const node = (texts: readonly string[]) => document.synthetic({ enum: texts }, owner);
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

/** The texts that `shape` lists for `key`; `null` where it allows other values. */
function listedTexts(shape: ObjectShape, key: string, compilation: Compilation): readonly string[] | null {
  const { states, terms } = compilation;
  const rules = shape.rules.filter((rule) => coversKey(terms, rule.keys, key));
  const state = rules.reduce((all, rule) => states.and(all, rule.state), states.anything);
  const texts: string[] = [];
  for (const [type, shapes] of compilation.shapes(state)) {
    if (type !== 'string') return null;
    for (const each of shapes) {
      const words = each.type === 'string' ? listedWords(each.language) : null;
      if (words === null) return null;
      texts.push(...words);
    }
  }
  return texts;
}
