/**
 * Where in a value something is checked that no grammar says. A value at a place is judged when it is closed, by the
 * sub-schemas that hold there whatever the rest of the value is: those under `properties`, `items` and their kin,
 * `allOf` and `$ref`. What stands under a condition (`anyOf`, `not`, …) is judged with the value around it.
 */
import type { JsonObject, JsonSchema, JsonValue } from '../../../format/messages.ts';
import { isArray, isObject, isSchema } from '../document/schema-document.ts';
import { hasNamedParts } from './local-references.ts';
import { patternTest, type TextTest } from './pattern-test.ts';
import { compilePartValidators, type PartValidators, type Validate } from './validate.ts';

/** A place in a value. */
export interface CheckedPlace {
  /** Says what is wrong with the closed value; `null` where it is judged with a value around it, or needs no check. */
  readonly validate: Validate | null;
  /** Items that are equal are refused as they come. */
  readonly uniqueItems: boolean;
  property(key: string): CheckedPlace;
  item(index: number): CheckedPlace;
}

const referenceKeywords: ReadonlySet<string> = new Set(['$ref', '$dynamicRef', '$recursiveRef']);
const localPointer = /^#(?:$|\/)/;

/** A sub-schema: its pointer, and what stands there. */
interface Part {
  readonly pointer: string;
  readonly schema: JsonSchema;
}

/**
 * The place of a whole value of `schema`, of which the sub-schemas at `pointers` are checked. Throws what
 * `compileValidator` throws.
 */
export function checkedPlaces(schema: JsonSchema, pointers: readonly string[], tool: string): CheckedPlace {
  // Such references are written anew for the check, so that pointers into their targets lead elsewhere.
  const all = hasNamedParts(schema) ? [...pointers, ''] : pointers;
  return new Places(compilePartValidators(schema, tool), all).root;
}

class Places {
  readonly #parts: PartValidators;
  /** Sub-schemas of which something is checked where they hold. */
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
      open.push(...this.#partsBelow(part));
    }
    for (const pointer of pointers) this.#judged.add(nearest(pointer, certain));
    // Where a condition leads, something may hold of which the pointers tell only that it holds elsewhere.
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

  /** `parts` and all that hold with them. */
  #withReferences(parts: readonly Part[]): readonly Part[] {
    const found = new Map<string, Part>();
    const open = [...parts];
    for (let part = open.pop(); part !== undefined; part = open.pop()) {
      if (found.has(part.pointer)) continue;
      found.set(part.pointer, part);
      open.push(...this.#partsHere(part));
    }
    return [...found.values()].sort((a, b) => (a.pointer < b.pointer ? -1 : 1));
  }

  /** What holds of the same value. */
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

  /** All that holds certainly of a value of `part`, or of what is in it. */
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

/** Pointers of all sub-schemas that refer to others; that of nothing for a reference that is no local pointer. */
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

/** `pointer`, or the nearest part around it that holds certainly. */
function nearest(pointer: string, certain: ReadonlySet<string>): string {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) if (certain.has(at)) return at;
  return '';
}
