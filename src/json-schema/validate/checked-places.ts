/**
 * Locates checks that the grammar does not enforce within a value. A nested value is validated when it is complete,
 * by the sub-schemas that apply unconditionally: those under `properties`, `items` and similar keywords, `allOf` and
 * `$ref`. Sub-schemas under a condition (`anyOf`, `not`, …) are validated with the enclosing value.
 */
import type { JsonObject, JsonSchema, JsonValue } from '../../format/messages.ts';
import { isArray, isObject, isSchema } from '../document/schema-document.ts';
import { hasNamedParts } from './local-references.ts';
import { patternTest, type TextTest } from './pattern-test.ts';
import { compilePartValidators, type PartValidators, type Validate } from './validate.ts';

/** A place in a value. */
export interface CheckedPlace {
  /** Validates the complete value; `null` if the enclosing value's validation covers it, or if it needs none. */
  readonly validate: Validate | null;
  /** Equal items are rejected as soon as they are complete. */
  readonly uniqueItems: boolean;
  property(key: string): CheckedPlace;
  item(index: number): CheckedPlace;
}

const referenceKeywords: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef']);
const localPointer = /^#(?:$|\/)/;

/** A sub-schema with its pointer. */
interface Part {
  readonly pointer: string;
  readonly schema: JsonSchema;
}

/**
 * The place of a whole value of `schema`; the sub-schemas at `pointers` are checked. Throws what `compileValidator`
 * throws.
 */
export function checkedPlaces(schema: JsonSchema, pointers: readonly string[], tool: string): CheckedPlace {
  // Named references are rewritten for validation, so that pointers into their targets change.
  const all = hasNamedParts(schema) ? [...pointers, ''] : pointers;
  return new Places(compilePartValidators(schema, tool), all).root;
}

class Places {
  readonly #parts: PartValidators;
  /** Sub-schemas with checks that apply at their place. */
  readonly #judged = new Set<string>();
  readonly #places = new Map<string, CheckedPlace>();
  readonly #patterns = new Map<string, TextTest>();

  constructor(parts: PartValidators, pointers: readonly string[]) {
    this.#parts = parts;
    const certain = new Set<string>();
    const open: Part[] = [{ pointer: '', schema: parts.schema }];
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      if (certain.has(part.pointer)) continue;
      certain.add(part.pointer);
      for (const below of this.#partsBelow(part)) open.push(below);
    }
    for (const pointer of pointers) this.#judged.add(nearest(pointer, certain));
    // A conditional reference may apply checks that the pointers attribute to another place.
    if (referencesOf(parts.schema).some((pointer) => pointer === null || !certain.has(pointer)))
      this.#judged.add('');
  }

  get root(): CheckedPlace {
    return this.#place([{ pointer: '', schema: this.#parts.schema }]);
  }

  #place(parts: readonly Part[]): CheckedPlace {
    const all = this.#withReferences(parts);
    const key = all.map(({ pointer }) => pointer).join(' ');
    const known = this.#places.get(key) ?? this.#makePlace(all);
    this.#places.set(key, known);
    return known;
  }

  #makePlace(parts: readonly Part[]): CheckedPlace {
    const judged = parts.filter(({ pointer }) => this.#judged.has(pointer));
    const validators = judged.map(({ pointer }) => this.#parts.at(pointer));
    const objects = parts.map(({ schema }) => schema).filter(isObject);
    return {
      validate: judged.length === 0 ? null : (value) => validators.flatMap((each) => each(value)),
      uniqueItems: judged.length > 0 && objects.some(({ uniqueItems }) => uniqueItems === true),
      property: (key) => this.#place(parts.flatMap((part) => this.#propertyParts(part, key))),
      item: (index) =>
        objects.length === 0 ? this.#place([]) : this.#place(parts.flatMap((part) => itemParts(part, index))),
    };
  }

  /** `parts` and all sub-schemas that apply with them. */
  #withReferences(parts: readonly Part[]): readonly Part[] {
    const found = new Map<string, Part>();
    const open = [...parts];
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      if (found.has(part.pointer)) continue;
      found.set(part.pointer, part);
      for (const here of this.#partsHere(part)) open.push(here);
    }
    return [...found.values()].sort((a, b) => (a.pointer < b.pointer ? -1 : 1));
  }

  /** Sub-schemas that apply to the same value. */
  #partsHere(part: Part): readonly Part[] {
    if (!isObject(part.schema)) return [];
    const { $ref: reference } = part.schema;
    const all = partsIn(part, 'allOf');
    if (typeof reference !== 'string' || !localPointer.test(reference)) return all;
    const pointer = decodePointer(reference.slice(1));
    const schema = schemaAt(this.#parts.schema, pointer);
    return schema === null ? all : [...all, { pointer, schema }];
  }

  #propertyParts(part: Part, key: string): readonly Part[] {
    if (!isObject(part.schema)) return [];
    const { properties, patternProperties } = part.schema;
    const declared = isObject(properties) && Object.hasOwn(properties, key);
    const own = declared ? partAt(part, 'properties', key) : [];
    const patterns = isObject(patternProperties) ? Object.keys(patternProperties) : [];
    const matching = patterns.filter((pattern) => this.#test(pattern)(key));
    const matched = matching.flatMap((pattern) => partAt(part, 'patternProperties', pattern));
    if (declared || matching.length > 0) return [...own, ...matched];
    return partAt(part, 'additionalProperties');
  }

  #test(pattern: string): TextTest {
    const known = this.#patterns.get(pattern) ?? patternTest(pattern);
    this.#patterns.set(pattern, known);
    return known;
  }

  /** All sub-schemas that apply unconditionally to a value of `part` or to its descendants. */
  #partsBelow(part: Part): readonly Part[] {
    const maps = ['properties', 'patternProperties', 'prefixItems'];
    const single = ['additionalProperties', 'items'];
    return [
      ...this.#partsHere(part),
      ...maps.flatMap((keyword) => partsIn(part, keyword)),
      ...single.flatMap((keyword) => partAt(part, keyword)),
    ];
  }
}

function itemParts(part: Part, index: number): readonly Part[] {
  const own = partAt(part, 'prefixItems', String(index));
  const isFirst =
    isObject(part.schema) && isArray(part.schema.prefixItems) && index < part.schema.prefixItems.length;
  return isFirst ? own : partAt(part, 'items');
}

function partsIn(part: Part, keyword: string): readonly Part[] {
  const parts = isObject(part.schema) ? part.schema[keyword] : undefined;
  if (typeof parts !== 'object' || parts === null) return [];
  return Object.keys(parts).flatMap((name) => partAt(part, keyword, name));
}

function partAt({ pointer, schema }: Part, ...tokens: readonly string[]): readonly Part[] {
  const found = tokens.reduce<JsonValue | undefined>(step, schema);
  if (found === undefined || !isSchema(found)) return [];
  const path = tokens.map((token) => `/${token.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  return [{ pointer: pointer + path.join(''), schema: found }];
}

function step(value: JsonValue | undefined, token: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, token)) return undefined;
  return (value as JsonObject)[token];
}

function schemaAt(schema: JsonSchema, pointer: string): JsonSchema | null {
  const tokens = pointer.split('/').slice(1);
  const found = tokens
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<JsonValue | undefined>(step, schema);
  return found !== undefined && isSchema(found) ? found : null;
}

/** Pointers of all referenced sub-schemas; `null` for a reference that is not a local pointer. */
function referencesOf(schema: JsonSchema): readonly (string | null)[] {
  const found: (string | null)[] = [];
  const open: (readonly [pointer: string, value: JsonValue])[] = [['', schema]];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [pointer, value] = next;
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, part] of Object.entries(value)) {
      if (referenceKeywords.has(name) && typeof part === 'string')
        found.push(name === '$ref' && localPointer.test(part) ? pointer : null);
      open.push([`${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, part]);
    }
  }
  return found;
}

function decodePointer(fragment: string): string {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return fragment;
  }
}

/** `pointer`, or the nearest enclosing part that applies unconditionally. */
function nearest(pointer: string, certain: ReadonlySet<string>): string {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) if (certain.has(at)) return at;
  return '';
}
