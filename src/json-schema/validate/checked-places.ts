/**
 * Locates checks that the grammar does not enforce within a value. A nested value is validated when it is complete,
 * by the sub-schemas that apply unconditionally: those under `properties`, `items` and similar keywords, `allOf` and
 * `$ref`. Sub-schemas under a condition (`anyOf`, `not`, …) are validated with the enclosing value.
 *
 *     {properties: {size: {multipleOf: 3}, tag: {anyOf: [{format: 'x'}, …]}}}   checks at /properties/size and
 *     {"size": 7 ·                                                              below /properties/tag
 *                ^ `size` is validated here, `tag` when it is complete, by its whole schema
 */
import { unless } from '../../format/error-class.ts';
import type { JsonSchema } from '../../format/messages.ts';
import { BudgetExceeded } from '../../language/expression/budget.ts';
import { finish, type Steps } from '../../language/expression/steps.ts';
import { plainSchema } from '../../tools/plain-schema.ts';
import { isArray, isObject, isSchema, type SchemaNode } from '../document/schema-document.ts';
import { itemNodes } from '../shapes/array-keywords.ts';
import { isMeant } from '../shapes/keyword-kinds.ts';
import { subschemasOf, targetsOf } from './evaluate.ts';
import { patternTest, type TextTest } from './pattern-test.ts';
import { type NodeValidators, nodeValidators, type Validate } from './validate.ts';

/** A place in a value. */
export interface CheckedPlace {
  /** Validates the complete value; `null` if the enclosing value's validation covers it, or if it needs none. */
  readonly validate: Validate | null;
  /** Equal items are rejected as soon as they are complete. */
  readonly uniqueItems: boolean;
  property(key: string): CheckedPlace;
  item(index: number): CheckedPlace;
}

/**
 * The place of a whole value of `schema`, found in `Steps`; the sub-schemas at `pointers` are checked. Throws
 * `SchemaError` if it is too large; its validators throw what `compileValidator` would throw for the parts that they
 * meet.
 */
export function* checkedPlaces(
  schema: JsonSchema,
  pointers: readonly string[],
  tool: string,
): Steps<CheckedPlace> {
  const validators = nodeValidators(plainSchema(schema, tool), tool);
  yield;
  const places = new Places(validators);
  yield* places.locateChecks(pointers);
  return places.root;
}

class Places {
  readonly #validators: NodeValidators;
  /** Pointers of sub-schemas with checks that apply at their place. */
  readonly #checkedPointers = new Set<string>();
  readonly #places = new Map<string, CheckedPlace>();
  readonly #patterns = new Map<string, TextTest>();

  constructor(validators: NodeValidators) {
    this.#validators = validators;
  }

  /** Notes for each check the sub-schema by which it is validated: its own, or the nearest that always applies. */
  *locateChecks(pointers: readonly string[]): Steps<void> {
    const { root, document } = this.#validators;
    const unconditional = yield* reached([root], (node) => this.#nodesBelow(node));
    const certain = new Set(Array.from(unconditional, ({ pointer }) => pointer));
    for (const pointer of pointers) this.#checkedPointers.add(nearest(pointer, certain));
    // A conditional reference may apply checks that the pointers attribute to another place. With the schema above and
    // `anyOf: [{$ref: '#/properties/tag/anyOf/0'}]`, that of `tag` applies to the whole: all is checked at the end.
    const every = yield* reached([root], (node) => subschemasOf(document, node));
    if ([...every].some((node) => this.#targets(node).some(({ pointer }) => !certain.has(pointer))))
      this.#checkedPointers.add('');
  }

  get root(): CheckedPlace {
    return this.#place([this.#validators.root]);
  }

  #place(nodes: readonly SchemaNode[]): CheckedPlace {
    const here = finish(reached(nodes, (node) => this.#nodesHere(node)));
    const all = [...here].sort((one, other) => one.id - other.id);
    const key = all.map(({ id }) => id).join(' ');
    const known = this.#places.get(key) ?? this.#makePlace(all);
    this.#places.set(key, known);
    return known;
  }

  /** `uniqueItems` that the grammar does not enforce is itself a check; without any here, none need be watched. */
  #makePlace(nodes: readonly SchemaNode[]): CheckedPlace {
    const checked = nodes.filter(({ pointer }) => this.#checkedPointers.has(pointer));
    const validators = checked.map((node) => this.#validators.validatorOf(node));
    const unique = nodes.some(({ schema }) => isObject(schema) && schema.uniqueItems === true);
    return {
      validate: checked.length === 0 ? null : (value) => validators.flatMap((each) => each(value)),
      uniqueItems: checked.length > 0 && unique,
      property: (key) => this.#place(nodes.flatMap((node) => this.#propertyNodes(node, key))),
      item: (index) => this.#place(nodes.flatMap((node) => this.#itemNodes(node, index))),
    };
  }

  #targets(node: SchemaNode): readonly SchemaNode[] {
    return isObject(node.schema) ? targetsOf(this.#validators.document, node, node.schema) : [];
  }

  #children(node: SchemaNode, keyword: string): readonly SchemaNode[] {
    return [...this.#eachChild(node, keyword)];
  }

  *#eachChild(node: SchemaNode, keyword: string): Iterable<SchemaNode> {
    const { document } = this.#validators;
    const parts = isObject(node.schema) ? node.schema[keyword] : undefined;
    if (parts === undefined || !isMeant(keyword, parts)) return;
    if (isSchema(parts) && single.includes(keyword)) yield document.child(node, keyword);
    else if (isArray(parts) || isObject(parts))
      for (const [name, part] of Object.entries(parts))
        if (isSchema(part)) yield document.child(node, keyword, name);
  }

  /** Sub-schemas that apply to the same value. */
  #nodesHere(node: SchemaNode): readonly SchemaNode[] {
    return isReference(node)
      ? this.#targets(node)
      : [...this.#targets(node), ...this.#children(node, 'allOf')];
  }

  #propertyNodes(node: SchemaNode, key: string): readonly SchemaNode[] {
    if (!isObject(node.schema) || isReference(node)) return [];
    const { document } = this.#validators;
    const { properties, patternProperties } = node.schema;
    const declared = isObject(properties) && isSchema(own(properties, key));
    const patterns = isObject(patternProperties) ? Object.keys(patternProperties) : [];
    // A key that takes too many steps counts as a match: its value is checked, and so is the whole.
    const matching = patterns.filter(
      (pattern) => unless([BudgetExceeded], () => this.#test(pattern)(key)) ?? true,
    );
    const matched = matching.flatMap((pattern) =>
      isObject(patternProperties) && isSchema(patternProperties[pattern])
        ? [document.child(node, 'patternProperties', pattern)]
        : [],
    );
    if (declared) return [document.child(node, 'properties', key), ...matched];
    return matching.length > 0 ? matched : this.#children(node, 'additionalProperties');
  }

  #itemNodes(node: SchemaNode, index: number): readonly SchemaNode[] {
    if (!isObject(node.schema) || isReference(node)) return [];
    const { prefix, rest } = itemNodes(node.schema, node, this.#validators);
    const found = prefix[index] ?? rest;
    return found === null ? [] : [found];
  }

  #test(pattern: string): TextTest {
    const known = this.#patterns.get(pattern) ?? patternTest(pattern);
    this.#patterns.set(pattern, known);
    return known;
  }

  /** All sub-schemas that apply unconditionally to a value of `node` or to its parts. */
  *#nodesBelow(node: SchemaNode): Iterable<SchemaNode> {
    yield* this.#nodesHere(node);
    if (isReference(node)) return;
    for (const keyword of below) yield* this.#eachChild(node, keyword);
  }
}

/** Keywords with one sub-schema, of those that apply unconditionally. */
const single = ['additionalProperties', 'items', 'additionalItems'];
const below = ['properties', 'patternProperties', 'prefixItems', ...single];

/** Whether the siblings of its `$ref` say nothing: before 2019-09, `$ref` ignores them. */
function isReference({ schema, origin }: SchemaNode): boolean {
  return origin.refAlone && isObject(schema) && typeof schema.$ref === 'string';
}

function own<Value>(values: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(values, key) ? values[key] : undefined;
}

/** Places that are visited in one step. */
const stride = 300;

/** `from` and everything that `next` leads to. */
function* reached(
  from: readonly SchemaNode[],
  next: (node: SchemaNode) => Iterable<SchemaNode>,
): Steps<ReadonlySet<SchemaNode>> {
  const found = new Set(from);
  let visited = 0;
  // Visits what is added meanwhile, too.
  for (const node of found) {
    visited += 1;
    if (visited % stride === 0) yield;
    for (const each of next(node)) {
      found.add(each);
      visited += 1;
      if (visited % stride === 0) yield;
    }
  }
  return found;
}

/** `pointer`, or the nearest enclosing part that applies unconditionally. */
function nearest(pointer: string, certain: ReadonlySet<string>): string {
  for (let at = pointer; at !== ''; at = at.slice(0, at.lastIndexOf('/'))) if (certain.has(at)) return at;
  return '';
}
