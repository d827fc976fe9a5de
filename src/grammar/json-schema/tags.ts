/**
 * Tags: a property that every object of a place must have, and whose constants tell branches of `anyOf` and
 * `oneOf` apart, such as `type` in a union of events. What a branch says of its own keys then matters only
 * where its constant stands.
 */
import type { JsonObject, JsonValue } from '../../messages.ts';
import { isReference, referenced, referenceKeywords } from './references.ts';
import { isArray, isObject, isSchema, type SchemaDocument, type SchemaNode } from './schema-document.ts';

/** A property that tells branches apart. */
export interface Tag {
  readonly key: string;
  /** The values that branches list, in groups of those that the same branches list. */
  readonly groups: readonly (readonly string[])[];
  /** The number of the group that a value is in. */
  readonly groupOf: ReadonlyMap<string, number>;
}

/** What is plain about the objects of a node: keys that they have, and texts that stand under a key. */
interface Facts {
  readonly required: ReadonlySet<string>;
  readonly listed: ReadonlyMap<string, ReadonlySet<string>>;
}

const noFacts: Facts = { required: new Set(), listed: new Map() };
const unions = ['anyOf', 'oneOf'] as const;
/** References that are followed to the texts of a property. */
const maxSteps = 8;

/** Finds tags. */
export class Tags {
  readonly #document: SchemaDocument;
  readonly #facts = new Map<SchemaNode, Facts | null>();

  constructor(document: SchemaDocument) {
    this.#document = document;
  }

  /**
   * The tag of a value that any of `roots` may describe, where `nodes` are all that apply to it; `null`
   * where there is none. Of several, that with the most groups.
   */
  of(roots: readonly SchemaNode[], nodes: readonly SchemaNode[]): Tag | null {
    const branches = nodes.flatMap((node) => this.#branches(node));
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

  /** Whether `branch` is for other values of the tag `key` than `value`; `null` is none that is listed. */
  excludes(branch: SchemaNode, key: string, value: string | null): boolean {
    const listed = this.#pinned(branch, key);
    return listed !== null && (value === null || !listed.has(value));
  }

  #pinned(branch: SchemaNode, key: string): ReadonlySet<string> | null {
    const facts = this.#factsOf(branch);
    return facts?.required.has(key) ? (facts.listed.get(key) ?? null) : null;
  }

  #tag(key: string, branches: readonly SchemaNode[]): Tag {
    const owners = new Map<string, number[]>();
    for (const branch of new Set(branches)) {
      for (const value of this.#pinned(branch, key) ?? []) {
        const list = owners.get(value);
        if (list === undefined) owners.set(value, [branch.id]);
        else list.push(branch.id);
      }
    }
    const groups = new Map<string, string[]>();
    for (const [value, ids] of owners) {
      const list = groups.get(ids.join());
      if (list === undefined) groups.set(ids.join(), [value]);
      else list.push(value);
    }
    const all = [...groups.values()];
    return {
      key,
      groups: all,
      groupOf: new Map(all.flatMap((group, number) => group.map((value) => [value, number] as const))),
    };
  }

  #branches(node: SchemaNode): readonly SchemaNode[] {
    return isObject(node.schema) ? unions.flatMap((keyword) => this.#inner(node, keyword)) : [];
  }

  #inner(node: SchemaNode, keyword: string): readonly SchemaNode[] {
    const list = isObject(node.schema) ? node.schema[keyword] : undefined;
    if (!isArray(list)) return [];
    return list.flatMap((each, at) =>
      isSchema(each) ? [this.#document.child(node, keyword, String(at))] : [],
    );
  }

  /** `null` where plainly no object is valid against `node`. */
  #factsOf(node: SchemaNode): Facts | null {
    const known = this.#facts.get(node);
    if (known !== undefined) return known;
    // Nothing is plain about what refers to itself.
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
    for (const name of isObject(properties) ? names : []) {
      if (!isObject(properties) || !Object.hasOwn(properties, name) || !isSchema(properties[name])) continue;
      const texts = this.#texts(this.#document.child(node, 'properties', name));
      if (texts !== null) listed.set(name, new Set(texts));
    }
    return { required: new Set(names), listed };
  }

  /** The texts that `const` or `enum` of `node` lists, or of what it refers to; `null` where there is more. */
  #texts(node: SchemaNode): readonly string[] | null {
    let current = node;
    for (let steps = 0; steps < maxSteps; steps += 1) {
      const { schema } = current;
      if (typeof schema === 'boolean') return null;
      const [target] = this.#targets(current, schema);
      const values = schema.const === undefined ? schema.enum : [schema.const];
      if (target === undefined || (isArray(values) && !current.origin.refAlone)) return onlyTexts(values);
      current = target;
    }
    return null;
  }
}

function onlyTexts(values: JsonValue | undefined): readonly string[] | null {
  if (!isArray(values)) return null;
  const texts = values.filter((each) => typeof each === 'string');
  return texts.length === values.length ? texts : null;
}

function allowsObjects(schema: JsonObject): boolean {
  const { type } = schema;
  if (typeof type === 'string' && type !== 'object') return false;
  return !(isArray(type) && !type.includes('object'));
}

/** What is plain where both hold; `null` where one of them allows no object. */
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

/** What is plain where one of `parts` holds, of which those that allow no object do not count. */
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
