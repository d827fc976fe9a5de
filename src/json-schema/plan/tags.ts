/**
 * Tags: a property that every object of a location must have and whose constants distinguish branches of `anyOf` and
 * `oneOf`, such as `type` in a union of events, or decide which `then` applies. What a branch says about its keys
 * then matters only for its own constant.
 */
import { groupBy } from '../../format/groups.ts';
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import { decimalOf, printDecimal } from '../document/decimal.ts';
import {
  isArray,
  isObject,
  isSchema,
  type SchemaDocument,
  type SchemaNode,
} from '../document/schema-document.ts';
import { isReference, referenced, referenceKeywords } from '../shapes/references.ts';

/** A property that distinguishes branches. */
export interface Tag {
  readonly key: string;
  /** The values listed by branches (see `scalarText`), grouped by the branches that list them. */
  readonly groups: readonly (readonly string[])[];
  /** The group number of each value. */
  readonly groupOf: ReadonlyMap<string, number>;
}

/** A scalar as JSON; equal numbers have equal texts. */
export function scalarText(value: JsonValue): string {
  return typeof value === 'number' ? printDecimal(decimalOf(value)) : JSON.stringify(value);
}

/** Facts about the objects of a node that need no full analysis. */
interface Facts {
  /** Required keys. */
  readonly required: ReadonlySet<string>;
  /** The only scalars allowed under a key, if it is present. */
  readonly listed: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A sub-schema that applies only to some values. */
export interface Branch {
  readonly node: SchemaNode;
  /** The node that contains the branch under `keyword`. */
  readonly owner: SchemaNode;
  readonly keyword: string;
}

const noFacts: Facts = { required: new Set(), listed: new Map() };
const unions = ['anyOf', 'oneOf'] as const;
/** Maximum number of references to follow to the values of a property. */
const maxSteps = 8;

/** Finds tags. */
export class Tags {
  readonly #document: SchemaDocument;
  readonly #facts = new Map<SchemaNode, Facts | null>();

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  /**
   * The tag of a value that any of `roots` may describe, where `nodes` are all nodes that apply to it; `null` if
   * there is none. Of several, the one with the most groups.
   */
  of(roots: readonly SchemaNode[], nodes: readonly SchemaNode[]): Tag | null {
    const branches = nodes.flatMap((node) => branchesOf(node, this.#document));
    if (branches.length < 2) return null;
    const known = uniteFacts(roots.map((root) => this.#factsOf(root)));
    let best: Tag | null = null;
    for (const key of known === null ? [] : known.listed.keys()) {
      if (!known?.required.has(key)) continue;
      const tag = this.#tag(key, branches);
      if (tag.groups.length > Math.max(1, best?.groups.length ?? 0)) best = tag;
    }
    return best;
  }

  /** Whether `branch` applies only if the tag `key` has a value other than `value`; `null` is any unlisted value. */
  excludes(branch: Branch, key: string, value: string | null): boolean {
    if (branch.keyword === 'else') return value !== null && this.#decisive(branch, key)?.has(value) === true;
    const listed = this.#valuesOf(branch, key);
    return listed !== null && (value === null || !listed.has(value));
  }

  /** The only values of `key` for which `branch` may apply; `null` if there is no such list. */
  #valuesOf({ node, owner, keyword }: Branch, key: string): ReadonlySet<string> | null {
    if (keyword !== 'then') return this.#pinned(node, key);
    // The tag is always present, so it does not matter whether the condition requires it.
    const condition = this.#condition(owner);
    return condition === null ? null : (this.#factsOf(condition)?.listed.get(key) ?? null);
  }

  #condition(owner: SchemaNode): SchemaNode | null {
    return isObject(owner.schema) && isSchema(owner.schema.if) ? this.#document.child(owner, 'if') : null;
  }

  /** The values of `key` for which the `if` of an `else` holds; `null` if the `if` requires anything else. */
  #decisive({ owner }: Branch, key: string): ReadonlySet<string> | null {
    const condition = this.#condition(owner);
    const schema = condition?.schema;
    if (condition === null || !isObject(schema) || !isObject(schema.properties)) return null;
    const { properties, required = [], type = 'object', ...more } = schema;
    const [name, second] = Object.keys(properties);
    if (name !== key || second !== undefined || type !== 'object' || Object.keys(more).length > 0)
      return null;
    if (!isArray(required) || required.some((each) => each !== key)) return null;
    return this.#factsOf(condition)?.listed.get(key) ?? null;
  }

  #pinned(branch: SchemaNode, key: string): ReadonlySet<string> | null {
    const facts = this.#factsOf(branch);
    return facts?.required.has(key) ? (facts.listed.get(key) ?? null) : null;
  }

  #tag(key: string, branches: readonly Branch[]): Tag {
    const owners = new Map<string, Set<number>>();
    for (const branch of branches) {
      const values = branch.keyword === 'else' ? this.#decisive(branch, key) : this.#valuesOf(branch, key);
      for (const value of values ?? []) {
        const ids = owners.get(value) ?? new Set();
        owners.set(value, ids.add(branch.node.id));
      }
    }
    const groups = groupBy(owners.keys(), (value) => [...(owners.get(value) ?? [])].join());
    const all = [...groups.values()];
    return {
      key,
      groups: all,
      groupOf: new Map(all.flatMap((group, number) => group.map((value) => [value, number] as const))),
    };
  }

  #inner(node: SchemaNode, keyword: string): readonly SchemaNode[] {
    return listedIn(node, keyword, this.#document);
  }

  /** `null` if obviously no object is valid against `node`. */
  #factsOf(node: SchemaNode): Facts | null {
    const known = this.#facts.get(node);
    if (known !== undefined) return known;
    // For recursive nodes, assume no facts.
    this.#facts.set(node, noFacts);
    const facts = this.#read(node);
    this.#facts.set(node, facts);
    return facts;
  }

  #read(node: SchemaNode): Facts | null {
    const { schema } = node;
    if (typeof schema === 'boolean') return schema ? noFacts : null;
    const targets = this.#targets(node, schema);
    if (targets.length > 0 && node.origin.refAlone) return this.#allOf(targets);
    if (!allowsObjects(schema)) return null;
    const parts = [this.#ownFacts(node, schema), this.#allOf([...targets, ...this.#inner(node, 'allOf')])];
    for (const keyword of unions) {
      if (isArray(schema[keyword])) {
        parts.push(uniteFacts(this.#inner(node, keyword).map((branch) => this.#factsOf(branch))));
      }
    }
    return joinFacts(parts);
  }

  #allOf(nodes: readonly SchemaNode[]): Facts | null {
    return joinFacts(nodes.map((node) => this.#factsOf(node)));
  }

  #targets(node: SchemaNode, schema: JsonObject): readonly SchemaNode[] {
    return referenceKeywords.flatMap((keyword) => {
      const reference = schema[keyword];
      if (!isReference(keyword) || typeof reference !== 'string') return [];
      const target = referenced(this.#document, node, keyword, reference);
      return target === null || target === 'ambiguous' ? [] : [target];
    });
  }

  #ownFacts(node: SchemaNode, schema: JsonObject): Facts {
    const { required, properties } = schema;
    const names = isArray(required) ? required.filter((each) => typeof each === 'string') : [];
    const listed = new Map<string, ReadonlySet<string>>();
    for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
      if (!isSchema(property)) continue;
      const scalars = this.#scalars(this.#document.child(node, 'properties', name));
      if (scalars !== null) listed.set(name, new Set(scalars));
    }
    return { required: new Set(names), listed };
  }

  /** The scalars that `const` or `enum` of `node` or of its reference lists; `null` if anything else is allowed. */
  #scalars(node: SchemaNode): readonly string[] | null {
    let current = node;
    for (let steps = 0; steps <= maxSteps; steps += 1) {
      const { schema } = current;
      if (typeof schema === 'boolean') return null;
      const [target] = this.#targets(current, schema);
      const values = schema.const === undefined ? schema.enum : [schema.const];
      if (target === undefined || (isArray(values) && !current.origin.refAlone)) return onlyScalars(values);
      current = target;
    }
    return null;
  }
}

/** The branches of `node`. */
function branchesOf(node: SchemaNode, document: SchemaDocument): readonly Branch[] {
  const { schema } = node;
  if (!isObject(schema)) return [];
  const found = unions.flatMap((keyword) =>
    listedIn(node, keyword, document).map((branch): Branch => ({ node: branch, owner: node, keyword })),
  );
  for (const keyword of isSchema(schema.if) ? ['then', 'else'] : []) {
    if (isSchema(schema[keyword])) found.push({ node: document.child(node, keyword), owner: node, keyword });
  }
  return found;
}

/** The sub-schemas in `node`'s list `keyword`. */
function listedIn(node: SchemaNode, keyword: string, document: SchemaDocument): readonly SchemaNode[] {
  const list = isObject(node.schema) ? node.schema[keyword] : undefined;
  if (!isArray(list)) return [];
  return list.flatMap((each, at) => (isSchema(each) ? [document.child(node, keyword, String(at))] : []));
}

function onlyScalars(values: JsonValue | undefined): readonly string[] | null {
  if (!isArray(values)) return null;
  const texts = values.flatMap((each) =>
    typeof each === 'object' && each !== null ? [] : [scalarText(each)],
  );
  return texts.length === values.length ? texts : null;
}

function allowsObjects(schema: JsonObject): boolean {
  const { type } = schema;
  if (typeof type === 'string' && type !== 'object') return false;
  return !(isArray(type) && !type.includes('object'));
}

/** Facts that hold if all of `parts` do; `null` if one of them allows no object. */
function joinFacts(parts: readonly (Facts | null)[]): Facts | null {
  const required = new Set<string>();
  const listed = new Map<string, ReadonlySet<string>>();
  for (const part of parts) {
    if (part === null) return null;
    for (const name of part.required) required.add(name);
    for (const [name, texts] of part.listed) {
      const known = listed.get(name);
      listed.set(name, known === undefined ? texts : new Set([...known].filter((text) => texts.has(text))));
    }
  }
  return { required, listed };
}

/** Facts that hold if any of `parts` does, ignoring those that allow no object. */
function uniteFacts(parts: readonly (Facts | null)[]): Facts | null {
  const [first, ...rest] = parts.filter((part) => part !== null);
  if (first === undefined) return null;
  const required = new Set(
    [...first.required].filter((name) => rest.every((each) => each.required.has(name))),
  );
  const listed = new Map<string, ReadonlySet<string>>();
  for (const [name, texts] of first.listed) {
    const all = new Set(texts);
    const inAll = rest.every((each) => {
      for (const text of each.listed.get(name) ?? []) all.add(text);
      return each.listed.has(name);
    });
    if (inAll) listed.set(name, all);
  }
  return { required, listed };
}
