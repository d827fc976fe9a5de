/**
 * Rewrites references by name, and those that depend on the dynamic scope, to plain pointers. The document that the
 * grammar is made from knows their targets, so each referenced sub-schema is written once per scope, and `$ref`
 * points to it.
 */
import type { JsonObject, JsonSchema, JsonValue } from '../../format/messages.ts';
import { isArray, isObject, isSchema, SchemaDocument, type SchemaNode } from '../document/schema-document.ts';
import { isReference, referenced } from '../shapes/references.ts';

/** Keywords with a sub-schema. */
export const singleKeywords: readonly string[] = [
  ...['not', 'if', 'then', 'else', 'contains', 'items', 'additionalItems', 'additionalProperties'],
  ...['propertyNames', 'unevaluatedItems', 'unevaluatedProperties'],
];
/** Keywords with a list of sub-schemas. */
export const listKeywords: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
/** Keywords with sub-schemas by name. */
export const mapKeywords: readonly string[] = [
  ...['properties', 'patternProperties', 'dependentSchemas', 'dependencies', '$defs', 'definitions'],
];

/** Keywords to drop: identifiers, which nothing refers to any more, and definitions, which are rewritten. */
const dropped = new Set([
  ...['$id', 'id', '$schema', '$anchor', '$dynamicAnchor', '$recursiveAnchor', '$defs', 'definitions'],
]);
const naming = /"\$(?:dynamic|recursive)Ref":|"(?:\$id|\$anchor|\$dynamicAnchor)":"|"\$ref":"\//;
/** Maximum number of sub-schemas to write. */
const maxParts = 20_000;

/** Whether `schema` names its parts, or contains references whose target depends on the dynamic scope. */
export function hasNamedParts(schema: JsonSchema): boolean {
  if (!isObject(schema)) return false;
  const { $id: _, ...rest } = schema;
  return naming.test(JSON.stringify(rest));
}

/**
 * Rewrites `schema` so that it contains only plain references into itself. Throws `RangeError` if it would be too
 * large.
 */
export function withLocalReferences(
  schema: JsonSchema,
  documents: ReadonlyMap<string, JsonSchema>,
): JsonSchema {
  return new LocalReferences(new SchemaDocument(schema, documents)).whole;
}

class LocalReferences {
  readonly #document: SchemaDocument;
  /** Targets of references, by node id. */
  readonly #targets = new Map<number, SchemaNode>();
  #parts = 0;

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  get whole(): JsonSchema {
    const whole = this.#write(this.#document.root);
    if (!isObject(whole)) return whole;
    const targets: Record<string, JsonValue> = {};
    // Writing a target may add others, which the loop visits later.
    for (const [id, node] of this.#targets) targets[id] = this.#write(node);
    return { ...whole, $defs: targets };
  }

  #write(node: SchemaNode): JsonSchema {
    const { schema } = node;
    if (!isObject(schema)) return schema;
    this.#parts += 1;
    if (this.#parts > maxParts) throw new RangeError('too many ways lead to its references');
    const entries = Object.entries(schema).filter(([keyword]) => !dropped.has(keyword));
    const references = entries.flatMap(([keyword, value]) => this.#reference(node, keyword, value));
    const [first, ...others] = references;
    if (first !== undefined && node.origin.refAlone) return first;
    const rest = entries.filter(([keyword]) => !isReference(keyword));
    const written = Object.fromEntries(
      rest.map(([keyword, value]) => [keyword, this.#inner(node, keyword, value)]),
    );
    if (others.length === 0) return { ...written, ...first };
    const { allOf } = written;
    return { ...written, ...first, allOf: [...(isArray(allOf) ? allOf : []), ...others] };
  }

  #reference(node: SchemaNode, keyword: string, value: JsonValue): readonly JsonObject[] {
    if (!isReference(keyword) || typeof value !== 'string') return [];
    const target = referenced(this.#document, node, keyword, value);
    if (target === null || target === 'ambiguous') throw new RangeError(`nothing is found at ${value}`);
    this.#targets.set(target.id, target);
    return [{ $ref: `#/$defs/${target.id}` }];
  }

  #inner(node: SchemaNode, keyword: string, value: JsonValue): JsonValue {
    const child = (each: JsonValue, ...tokens: readonly string[]) =>
      isSchema(each) ? this.#write(this.#document.child(node, keyword, ...tokens)) : each;
    if (singleKeywords.includes(keyword) && isSchema(value)) return child(value);
    if (listKeywords.includes(keyword) && isArray(value)) {
      return value.map((each, index) => child(each, String(index)));
    }
    if (!mapKeywords.includes(keyword) || !isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, child(each, name)]));
  }
}
