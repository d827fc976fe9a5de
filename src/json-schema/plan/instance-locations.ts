/**
 * Locations: places in a value, independent of which branch of the schema applies. A location fixes the order of keys
 * by first mention over all branches, so that a value has a single spelling before it is known which branch it is
 * valid against.
 */
import { addToGroup } from '../../format/groups.ts';
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import type { StepBudget } from '../../language/expression/budget.ts';
import { schemaOfContainer } from '../document/containers.ts';
import {
  isArray,
  isObject,
  isSchema,
  plainScalar,
  type SchemaDocument,
  type SchemaNode,
} from '../document/schema-document.ts';
import { itemNodes } from '../shapes/array-keywords.ts';
import { connectedMembers } from '../shapes/clauses.ts';
import { isReference, referenced, referenceKeywords } from '../shapes/references.ts';
import { maxListedKeys } from './object-plan.ts';
import { type Branch, type Tag, Tags } from './tags.ts';

/** Equal ids mean equal locations. */
export interface InstanceLocation {
  readonly id: number;
  readonly nodes: readonly SchemaNode[];
  /** The nodes from which all others were found. */
  readonly roots: readonly SchemaNode[];
  readonly sorted: boolean;
  /** Keys that any of the nodes mentions, in order of first mention. */
  readonly keys: readonly string[];
}

/** Which keys are sorted by code point: all, none, those of the outermost object, or those of nested ones. */
export type SortedKeys = boolean | 'outermost' | 'inner';

const inPlace = ['allOf', 'anyOf', 'oneOf'];
const single = ['not', 'if', 'then', 'else'];
const byKey = ['dependentSchemas', 'dependencies'];
const dependencies = ['dependentRequired', 'dependentSchemas', 'dependencies'];
const openKeys = ['additionalProperties', 'unevaluatedProperties'];
/** Keywords that lead to further sub-schemas of the same value. */
const leadsOn = new Set([...inPlace, ...single, ...byKey, ...referenceKeywords, 'const', 'enum']);
/** Keywords whose sub-schemas apply only to some values. */
const branching = new Set(['anyOf', 'oneOf', 'then', 'else']);
const maxNodes = 5000;

/** Makes and interns locations. */
export class InstanceLocations {
  readonly #document: SchemaDocument;
  readonly #budget: StepBudget;
  readonly #sorted: SortedKeys;
  readonly #interned = new Map<string, InstanceLocation>();
  readonly #children = new Map<string, InstanceLocation>();
  readonly #named = new WeakMap<InstanceLocation, ReadonlyMap<string, readonly SchemaNode[]>>();
  readonly #open = new WeakMap<InstanceLocation, readonly SchemaNode[]>();
  readonly #tags: Tags;
  readonly #tagOf = new WeakMap<InstanceLocation, Tag | null>();

  constructor(document: SchemaDocument, budget: StepBudget, sorted: SortedKeys) {
    this.#document = document;
    this.#budget = budget;
    this.#sorted = sorted;
    this.#tags = new Tags(document);
  }

  /** The location of a value to which `nodes` apply, and everything that they apply in turn. */
  of(nodes: readonly SchemaNode[]): InstanceLocation {
    return this.#location(nodes, null, () => false);
  }

  #location(
    nodes: readonly SchemaNode[],
    sorted: boolean | null,
    skips: (branch: Branch) => boolean,
  ): InstanceLocation {
    const found = new Map<number, SchemaNode>();
    for (const node of nodes) this.#collect(node, found, skips);
    this.#budget.spend(found.size >> 2);
    const meant = nodes.map((node) => this.#document.meant(node));
    const roots = [...new Set(meant)].filter(({ id }) => found.has(id));
    const key = `${roots.map(({ id }) => id).join()} ${[...found.keys()].join()}`;
    const known = this.#interned.get(key);
    if (known !== undefined) return known;
    const all = [...found.values()];
    const keys = new Set(all.flatMap((node) => (isObject(node.schema) ? mentionedKeys(node.schema) : [])));
    const sorts = sorted ?? this.#sorts(found);
    const location: InstanceLocation = {
      id: this.#interned.size,
      nodes: all,
      roots,
      sorted: sorts,
      keys: sorts ? [...keys].sort(compareCodePoints) : groupKeys([...keys], this.#conditions(all, skips)),
    };
    this.#interned.set(key, location);
    return location;
  }

  /** The keys that each condition among `nodes` refers to. */
  #conditions(
    nodes: readonly SchemaNode[],
    skips: (branch: Branch) => boolean,
  ): readonly ReadonlySet<string>[] {
    return nodes.flatMap((node) => {
      const { schema } = node;
      if (!isObject(schema)) return [];
      const found: ReadonlySet<string>[] = [];
      for (const keywords of [['if', 'then', 'else'], ['anyOf'], ['oneOf'], ['not']]) {
        if (!keywords.some((keyword) => keyword in schema)) continue;
        const inner = keywords.flatMap((keyword) => this.#applied(node, keyword, schema[keyword]));
        found.push(this.#keysOf(inner, skips));
      }
      for (const keyword of dependencies) {
        const byTrigger = schema[keyword];
        for (const [trigger, needed] of Object.entries(isObject(byTrigger) ? byTrigger : {})) {
          const inner = isSchema(needed) ? [this.#document.child(node, keyword, trigger)] : [];
          const names = isArray(needed) ? needed.filter((each) => typeof each === 'string') : [];
          found.push(new Set([trigger, ...names, ...this.#keysOf(inner, skips)]));
        }
      }
      return found;
    });
  }

  /** The keys that `nodes`, and what applies to the same value, mention. */
  #keysOf(nodes: readonly SchemaNode[], skips: (branch: Branch) => boolean): ReadonlySet<string> {
    const found = new Map<number, SchemaNode>();
    for (const node of nodes) this.#collect(node, found, skips);
    this.#budget.spend(1 + (found.size >> 2));
    return new Set(
      [...found.values()].flatMap(({ schema }) => (isObject(schema) ? mentionedKeys(schema) : [])),
    );
  }

  /** The property that distinguishes the branches of `location`; `null` if there is none. */
  tag(location: InstanceLocation): Tag | null {
    const known = this.#tagOf.get(location);
    if (known !== undefined) return known;
    const tag = this.#tags.of(location.roots, location.nodes);
    this.#tagOf.set(location, tag);
    return tag;
  }

  /**
   * The location of the objects of `location` whose tag is `value`, without the branches for other values. `null`
   * stands for objects whose tag has none of the listed values.
   */
  tagged(location: InstanceLocation, { key, groupOf }: Tag, value: string | null): InstanceLocation {
    const group = value === null ? undefined : groupOf.get(value);
    return this.#child(location, `t${group ?? ''}`, () =>
      this.#location(location.roots, location.sorted, (branch) =>
        this.#tags.excludes(branch, key, group === undefined ? null : value),
      ),
    );
  }

  #sorts(nodes: ReadonlyMap<number, SchemaNode>): boolean {
    if (typeof this.#sorted === 'boolean') return this.#sorted;
    return nodes.has(this.#document.meant(this.#document.root).id) === (this.#sorted === 'outermost');
  }

  /** The location of the value under `key`. */
  property(location: InstanceLocation, key: string): InstanceLocation {
    return this.#child(location, `p${key}`, () => {
      const named = (this.#namedNodes(location).get(key) ?? []).map((node) =>
        this.#document.child(node, 'properties', key),
      );
      return this.of([...named, ...this.#openNodes(location)]);
    });
  }

  /** For each key, the nodes of `location` that declare a property of that name. */
  #namedNodes(location: InstanceLocation): ReadonlyMap<string, readonly SchemaNode[]> {
    const known = this.#named.get(location);
    if (known !== undefined) return known;
    const named = new Map<string, SchemaNode[]>();
    for (const node of location.nodes) {
      if (!isObject(node.schema) || !isObject(node.schema.properties)) continue;
      for (const [key, property] of Object.entries(node.schema.properties)) {
        if (isSchema(property)) addToGroup(named, key, node);
      }
    }
    this.#named.set(location, named);
    return named;
  }

  /** The location of a value under an undeclared key. */
  open(location: InstanceLocation): InstanceLocation {
    return this.#child(location, 'open', () => this.of(this.#openNodes(location)));
  }

  /** The location of item `index`. */
  item(location: InstanceLocation, index: number): InstanceLocation {
    return this.#child(location, `i${index}`, () => this.of(this.#itemNodes(location, index)));
  }

  #itemNodes(location: InstanceLocation, index: number): readonly SchemaNode[] {
    return this.#nodes(location, (schema, node) => {
      const { prefix, rest } = itemNodes(schema, node, { document: this.#document });
      const own = prefix[index] ?? rest;
      const others = ['contains', 'unevaluatedItems']
        .filter((keyword) => isSchema(schema[keyword]))
        .map((keyword) => this.#document.child(node, keyword));
      return own === null ? others : [own, ...others];
    });
  }

  /** From this index on, all items have the same location. */
  tupleLength(location: InstanceLocation): number {
    const lengths = location.nodes.map((node) =>
      isObject(node.schema) ? itemNodes(node.schema, node, { document: this.#document }).prefix.length : 0,
    );
    return Math.max(0, ...lengths);
  }

  #child(location: InstanceLocation, name: string, make: () => InstanceLocation): InstanceLocation {
    const key = `${location.id} ${name}`;
    const found = this.#children.get(key);
    if (found !== undefined) return found;
    this.#budget.spend(1 + (location.nodes.length >> 2));
    const made = make();
    this.#children.set(key, made);
    return made;
  }

  #openNodes(location: InstanceLocation): readonly SchemaNode[] {
    const known = this.#open.get(location) ?? this.#findOpenNodes(location);
    this.#open.set(location, known);
    return known;
  }

  #findOpenNodes(location: InstanceLocation): readonly SchemaNode[] {
    return this.#nodes(location, (schema, node) => [
      ...Object.entries(isObject(schema.patternProperties) ? schema.patternProperties : {}).flatMap(
        ([pattern, property]) =>
          isSchema(property) ? [this.#document.child(node, 'patternProperties', pattern)] : [],
      ),
      ...openKeys
        .filter((keyword) => isSchema(schema[keyword]))
        .map((keyword) => this.#document.child(node, keyword)),
    ]);
  }

  #nodes(
    location: InstanceLocation,
    read: (schema: JsonObject, node: SchemaNode) => readonly SchemaNode[],
  ): SchemaNode[] {
    return location.nodes.flatMap((node) => (isObject(node.schema) ? read(node.schema, node) : []));
  }

  /** Collects `named` and every node that applies to the same value, except for skipped branches, in document order. */
  #collect(named: SchemaNode, found: Map<number, SchemaNode>, skips: (branch: Branch) => boolean): void {
    const node = this.#document.meant(named);
    const { schema } = node;
    if (!isObject(schema) || found.has(node.id) || found.size >= maxNodes) return;
    // Scalars look alike at all locations.
    if (plainScalar(schema) !== null) return;
    found.set(node.id, node);
    for (const keyword in schema) {
      if (!leadsOn.has(keyword)) continue;
      const branches = branching.has(keyword);
      for (const inner of this.#applied(node, keyword, schema[keyword])) {
        if (!branches || !skips({ node: inner, owner: node, keyword })) this.#collect(inner, found, skips);
      }
    }
  }

  #applied(node: SchemaNode, keyword: string, value: JsonValue | undefined): readonly SchemaNode[] {
    const document = this.#document;
    if (isReference(keyword) && typeof value === 'string') {
      const target = referenced(document, node, keyword, value);
      return target === null || target === 'ambiguous' ? [] : [target];
    }
    if (single.includes(keyword) && isSchema(value)) return [document.child(node, keyword)];
    if (inPlace.includes(keyword) && isArray(value)) {
      return value.flatMap((each, at) => (isSchema(each) ? [document.child(node, keyword, String(at))] : []));
    }
    if (byKey.includes(keyword) && isObject(value)) {
      const entries = Object.entries(value).filter(([, each]) => isSchema(each));
      return entries.map(([key]) => document.child(node, keyword, key));
    }
    const listed = keyword === 'const' ? [value] : keyword === 'enum' && isArray(value) ? value : [];
    return listed
      .filter((each) => isObject(each) || isArray(each))
      .map((each) => document.synthetic(schemaOfContainer(each), node));
  }
}

function mentionedKeys(schema: JsonObject): readonly string[] {
  return Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === 'properties' && isObject(value)) return Object.keys(value);
    if (keyword === 'required' && isArray(value)) return value.filter((each) => typeof each === 'string');
    if (!isObject(value)) return [];
    if (keyword === 'propertyNames' && isArray(value.enum) && value.enum.length <= maxListedKeys)
      return value.enum.filter((each) => typeof each === 'string');
    if (keyword !== 'dependentRequired' && keyword !== 'dependencies' && keyword !== 'dependentSchemas')
      return [];
    return Object.entries(value).flatMap(([key, needed]) => [
      key,
      ...(isArray(needed) ? needed.filter((each) => typeof each === 'string') : []),
    ]);
  });
}

/** Compares by code point; equivalent to string order within a plane. */
function compareCodePoints(a: string, b: string): number {
  const [left, right] = [Array.from(a), Array.from(b)];
  const at = left.findIndex((character, index) => character !== right[index]);
  if (at < 0) return left.length - right.length;
  return (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1);
}

/** With fewer conditions, the order stays as it is. */
const minGroups = 4;

/**
 * Reorders `keys` so that those of each set in `conditions` are adjacent, because keys in between multiply with the
 * pending condition; overlapping sets are merged.
 */
function groupKeys(keys: readonly string[], conditions: readonly ReadonlySet<string>[]): readonly string[] {
  if (conditions.length < minGroups) return keys;
  const groups = connectedMembers(conditions);
  const several = new Set([...groups.values()].filter((group) => group.size > 1));
  if (several.size < minGroups) return keys;
  const rank = new Map(keys.map((key, index) => [key, index]));
  const ordered = new Set<string>();
  for (const key of keys) {
    if (ordered.has(key)) continue;
    const together = [...(groups.get(key) ?? [key])].filter((each) => rank.has(each));
    for (const each of together.sort((a, b) => (rank.get(a) ?? 0) - (rank.get(b) ?? 0))) ordered.add(each);
  }
  return [...ordered];
}
