/**
 * A schema as a graph of nodes: each sub-schema in use becomes a numbered node, and references are edges. Nothing is
 * fetched; other documents must be supplied.
 */
import { fragmentKey, pointerPart } from '../../format/json-values.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../../format/messages.ts';
import { type DynamicScope, DynamicScopes } from './dynamic-scopes.ts';
import { type Dialect, dialectOf, everyVocabulary, inDialect } from './vocabularies.ts';

/** One sub-schema of a document. */
export interface SchemaNode {
  readonly id: number;
  readonly schema: JsonSchema;
  /**
   * JSON pointer from the root of its document; in a document other than the main one, prefixed with that document's
   * URI.
   */
  readonly pointer: string;
  readonly origin: Origin;
  /** The dynamic scope. A sub-schema has a node for each scope in which it is reached. */
  readonly scope: DynamicScope;
  /** Descendants in use so far, by their pointers from here. */
  readonly children: Map<string, SchemaNode>;
}

/** Where a sub-schema comes from: its document, its path, and how its surroundings are interpreted. */
interface Origin {
  /** URI of the document. */
  readonly document: string;
  /** Path from the root of the document. */
  readonly tokens: readonly string[];
  /** Base URI of its references. */
  readonly base: string;
  /** Siblings of `$ref` are ignored (drafts up to 7). */
  readonly refAlone: boolean;
  /** Resources are named by `id` (drafts up to 4). */
  readonly plainId: boolean;
  /** The draft that the schema declares: 3 to 7, 8 for 2019-09, 9 for 2020-12; 0 if it declares none of them. */
  readonly draft: number;
  readonly dialect: Dialect;
  /** Empty for a schema in the document; distinguishes synthetic schemas of the same node. */
  readonly synthetic: string;
}

const rootUri = 'schema://root/';
const oldDraft = /draft-0[3-7]/;
const olderDraft = /draft-0[34]/;
const drafts: readonly (readonly [RegExp, number])[] = [
  [/draft-0?3/, 3],
  [/draft-0?4/, 4],
  [/draft-0?6/, 6],
  [/draft-0?7/, 7],
  [/2019-09/, 8],
  [/2020-12/, 9],
];
/** Quick test for identifiers of sub-schemas in a schema's text. Most schemas have none and need no search. */
const namesParts = /"(?:\$?id|\$anchor|\$dynamicAnchor)":"|"\$recursiveAnchor":true/;
const withoutSchemas = new Set(['enum', 'const', 'default', 'examples', 'example']);

/** Maximum length of a chain of references; circular chains never end. */
const maxMeant = 20;

/** The nodes of a schema and of the documents it may refer to. */
export class SchemaDocument {
  readonly #documents = new Map<string, JsonSchema>();
  readonly #byKey = new Map<string, SchemaNode>();
  /** Resources by URI, anchors by URI with fragment. */
  readonly #identified = new Map<string, Origin>();
  /** Targets of references, by document, base URI and reference. */
  readonly #resolved = new Map<string, SchemaNode | null>();
  /** Numbers of made-up schemas, by their texts. */
  readonly #synthetic = new Map<string, string>();
  readonly #scopes = new DynamicScopes();
  /** Whether any sub-schema depends on what its neighbours evaluated (`unevaluatedItems`, `unevaluatedProperties`). */
  readonly usesUnevaluated: boolean;
  readonly root: SchemaNode;

  /** `documents` maps URIs to schemas that references may use. */
  constructor(schema: JsonSchema, documents: ReadonlyMap<string, JsonSchema> = new Map()) {
    let usesUnevaluated = false;
    for (const [uri, document] of [[rootUri, schema] as const, ...documents]) {
      this.#documents.set(uri, document);
    }
    for (const [uri, document] of this.#documents) {
      const origin = this.#enter(topOf(uri), document);
      this.#identified.set(uri, origin);
      const text = JSON.stringify(document);
      if (namesParts.test(text)) this.#index(document, { ...origin, base: uri }, 0);
      usesUnevaluated ||= text.includes('"unevaluated');
    }
    this.usesUnevaluated = usesUnevaluated;
    const { outside } = this.#scopes;
    this.root = this.#nodeAt(this.#identified.get(rootUri) ?? topOf(rootUri), schema, outside);
  }

  #enter(origin: Origin, value: JsonValue): Origin {
    return enterResource(origin, value, this.#documents);
  }

  /** Registers `$id`s and anchors below `value`. */
  #index(value: JsonValue, outer: Origin, depth: number): void {
    if (depth > 200 || value === null || typeof value !== 'object') return;
    if (isArray(value)) {
      value.forEach((item, index) => {
        this.#index(item, { ...outer, tokens: [...outer.tokens, String(index)] }, depth + 1);
      });
      return;
    }
    const origin = this.#enter(outer, value);
    if (origin.base !== outer.base) this.#identified.set(origin.base, origin);
    this.#indexAnchors(value, origin);
    for (const [key, item] of Object.entries(value)) {
      if (!withoutSchemas.has(key)) {
        this.#index(item, { ...origin, tokens: [...origin.tokens, key] }, depth + 1);
      }
    }
  }

  #indexAnchors(schema: JsonObject, origin: Origin): void {
    const id = idOf(schema, origin);
    if (id?.startsWith('#')) this.#identified.set(origin.base + id, origin);
    for (const keyword of ['$anchor', '$dynamicAnchor']) {
      const name = schema[keyword];
      if (typeof name !== 'string') continue;
      this.#identified.set(`${origin.base}#${name}`, origin);
      if (keyword === '$dynamicAnchor') this.#scopes.add(name, origin.base);
    }
    if (schema.$recursiveAnchor === true) this.#scopes.add('', origin.base);
  }

  /** The sub-schema of `node` at `tokens`, which must exist. */
  child(node: SchemaNode, ...tokens: readonly string[]): SchemaNode {
    const path = tokens.map((token) => `/${pointerPart(token)}`).join('');
    const known = node.children.get(path);
    if (known !== undefined) return known;
    const found = this.#walk(node.origin, node.schema, tokens, node.scope);
    if (found === null) throw new RangeError(`no schema at ${node.pointer}${path}`);
    node.children.set(path, found);
    return found;
  }

  /** Follows a node that is only a reference, or only an `allOf` of one schema; returns any other node as it is. */
  meant(node: SchemaNode): SchemaNode {
    let current = node;
    for (let steps = 0; steps < maxMeant; steps += 1) {
      const next = this.#passedOn(current);
      if (next === null) return current;
      current = next;
    }
    return node;
  }

  #passedOn(node: SchemaNode): SchemaNode | null {
    const { schema } = node;
    if (typeof schema === 'boolean' || !('$ref' in schema || 'allOf' in schema)) return null;
    const [keyword, second] = Object.keys(schema).filter((each) => !annotations.has(each));
    if (second !== undefined) return null;
    if (keyword === '$ref') return typeof schema.$ref === 'string' ? this.resolve(node, schema.$ref) : null;
    const list = keyword === 'allOf' && isArray(schema.allOf) ? schema.allOf : [];
    return list.length === 1 && isSchema(list[0]) ? this.child(node, 'allOf', '0') : null;
  }

  /** A node for a schema made up by the compiler; reports name `owner` instead. */
  synthetic(schema: JsonSchema, owner: SchemaNode): SchemaNode {
    const { origin, pointer, scope } = owner;
    const synthetic = this.#numberOf(`${origin.synthetic} ${JSON.stringify(schema)}`);
    const key = `${scope.id} ${origin.document}#${pointer}${synthetic}`;
    return this.#intern(key, { schema, pointer, origin: { ...origin, synthetic }, scope });
  }

  /** Stands for the text of a made-up schema in the keys of its parts, of which there may be thousands. */
  #numberOf(synthetic: string): string {
    const number = this.#synthetic.get(synthetic) ?? ` ${this.#synthetic.size}`;
    this.#synthetic.set(synthetic, number);
    return number;
  }

  /** The target of `reference` in `node`; `null` if there is none. */
  resolve({ origin, scope }: SchemaNode, reference: string): SchemaNode | null {
    const key = `${scope.id} ${origin.document} ${origin.base} ${reference}`;
    const known = this.#resolved.get(key);
    if (known !== undefined) return known;
    const found =
      this.#resolve(reference, origin, scope) ??
      // `/$defs/x`, as some libraries write it, is meant as a pointer.
      (reference.startsWith('/') ? this.#resolve(`#${reference}`, origin, scope) : null);
    this.#resolved.set(key, found);
    return found;
  }

  #resolve(reference: string, { base, document }: Origin, scope: DynamicScope): SchemaNode | null {
    const uri = resolveUri(reference, base);
    const [resource = '', fragment = ''] = splitFragment(uri);
    const direct = this.#identified.get(fragment === '' ? resource : `${resource}#${fragment}`);
    if (direct !== undefined) return this.#nodeFrom(direct, scope);
    const start = this.#identified.get(resource);
    if (start === undefined || !(fragment === '' || fragment.startsWith('/'))) return null;
    const tokens = fragment.split('/').slice(1).map(fragmentKey);
    // A pointer inside a part with its own `$id` is often meant from the root of the document.
    const top = reference.startsWith('#') ? this.#identified.get(document) : undefined;
    const found = this.#walkFrom(start, tokens, scope);
    return found ?? (top === undefined ? null : this.#walkFrom(top, tokens, scope));
  }

  #walkFrom(start: Origin, tokens: readonly string[], scope: DynamicScope): SchemaNode | null {
    const value = this.#valueAt(start);
    return value === undefined ? null : this.#walk(start, value, tokens, scope);
  }

  /**
   * The target of `$dynamicRef` in `node`: the outermost resource on the path that has the anchor. `ambiguous` if
   * there are too many paths.
   */
  resolveDynamic(node: SchemaNode, reference: string): SchemaNode | null | 'ambiguous' {
    const first = this.resolve(node, reference);
    const [, name = ''] = splitFragment(reference);
    if (first === null || !isObject(first.schema) || first.schema.$dynamicAnchor !== name) return first;
    return this.#outermost(node, first, name);
  }

  /** The target of draft 2019-09's `$recursiveRef`; its anchors have no names. */
  resolveRecursive(node: SchemaNode): SchemaNode | null | 'ambiguous' {
    const first = this.resolve(node, '#');
    if (first === null || !isObject(first.schema) || first.schema.$recursiveAnchor !== true) return first;
    return this.#outermost(node, first, '');
  }

  #outermost({ scope }: SchemaNode, first: SchemaNode, name: string): SchemaNode | 'ambiguous' {
    if (!this.#scopes.isBounded) return 'ambiguous';
    const resource = scope.first.get(name);
    const origin = resource === undefined ? undefined : this.#identified.get(withAnchor(resource, name));
    return (origin === undefined ? null : this.#nodeFrom(origin, scope)) ?? first;
  }

  #nodeFrom(origin: Origin, scope: DynamicScope): SchemaNode | null {
    const value = this.#valueAt(origin);
    return value === undefined || !isSchema(value) ? null : this.#nodeAt(origin, value, scope);
  }

  #valueAt(origin: Origin): JsonValue | undefined {
    return origin.tokens.reduce<JsonValue | undefined>(step, this.#documents.get(origin.document));
  }

  #walk(from: Origin, value: JsonValue, tokens: readonly string[], scope: DynamicScope): SchemaNode | null {
    let origin = from;
    let current: JsonValue | undefined = value;
    for (const token of tokens) {
      current = step(current, token);
      if (current === undefined) return null;
      origin = this.#enter({ ...origin, tokens: [...origin.tokens, token] }, current);
    }
    return current !== undefined && isSchema(current) ? this.#nodeAt(origin, current, scope) : null;
  }

  /**
   * The node of the schema at `origin` in `scope`. `origin` already includes the schema's own identifiers: a relative
   * `$id` must not be applied twice.
   */
  #nodeAt(origin: Origin, schema: JsonSchema, scope: DynamicScope): SchemaNode {
    const path = origin.tokens.map((token) => `/${pointerPart(token)}`).join('');
    const pointer = origin.document === rootUri ? path : `${origin.document}#${path}`;
    const own = this.#scopes.enter(scope, origin.base);
    const key = `${own.id} ${origin.document}#${path}${origin.synthetic}`;
    return this.#intern(key, { schema, pointer, origin, scope: own });
  }

  #intern(key: string, { schema, origin, ...place }: Omit<SchemaNode, 'id' | 'children'>): SchemaNode {
    const found = this.#byKey.get(key);
    if (found !== undefined) return found;
    const node: SchemaNode = {
      id: this.#byKey.size,
      schema: inDialect(schema, origin.dialect),
      origin,
      ...place,
      children: new Map(),
    };
    this.#byKey.set(key, node);
    return node;
  }
}

function topOf(document: string): Origin {
  return {
    document,
    tokens: [],
    base: document,
    refAlone: false,
    plainId: false,
    draft: 0,
    dialect: everyVocabulary,
    synthetic: '',
  };
}

/** Whether `value` can be a schema. */
export function isSchema(value: JsonValue | undefined): value is JsonSchema {
  return typeof value === 'boolean' || isObject(value);
}

const annotations = new Set(['title', 'description', 'default', 'examples', 'example', 'deprecated']);

/** Whether every value is valid against `schema`, because it contains only annotations. */
export function saysNothing(schema: JsonSchema): boolean {
  if (typeof schema === 'boolean') return schema;
  for (const keyword in schema) if (!annotations.has(keyword)) return false;
  return true;
}

const scalars = new Set(['string', 'number', 'integer', 'boolean', 'null']);

/** The scalar type that `schema` requires, if it requires nothing else; otherwise `null`. */
export function plainScalar(schema: JsonSchema): string | null {
  if (typeof schema === 'boolean' || typeof schema.type !== 'string' || !scalars.has(schema.type))
    return null;
  for (const keyword in schema) if (keyword !== 'type' && !annotations.has(keyword)) return null;
  return schema.type;
}

/** Whether `value` is a JSON object. */
export function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether `value` is a JSON array. */
export function isArray(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** `origin` updated with `$id` and `$schema` of `value`, the schema at that place. */
function enterResource(origin: Origin, value: JsonValue, documents: ReadonlyMap<string, JsonSchema>): Origin {
  if (!isObject(value)) return origin;
  const ownDialect =
    typeof value.$schema === 'string' ? withDialect(origin, value.$schema, documents) : origin;
  const id = idOf(value, ownDialect);
  const named =
    id !== null && !id.startsWith('#') && !(ownDialect.refAlone && typeof value.$ref === 'string');
  const base = named ? (splitFragment(resolveUri(id, origin.base))[0] ?? origin.base) : origin.base;
  return base === origin.base ? ownDialect : { ...ownDialect, base };
}

/** `origin` updated for a schema that declares its dialect, whose meta-schema may be among `documents`. */
function withDialect(origin: Origin, name: string, documents: ReadonlyMap<string, JsonSchema>): Origin {
  const metaSchema = documents.get(name.replace(/#$/, '')) ?? documents.get(name);
  return {
    ...origin,
    refAlone: oldDraft.test(name),
    plainId: olderDraft.test(name),
    draft: draftOf(name),
    dialect: dialectOf(metaSchema),
  };
}

function draftOf(dialect: string): number {
  return drafts.find(([name]) => name.test(dialect))?.[1] ?? 0;
}

/** The identifier of the resource `schema`. */
function idOf(schema: JsonObject, { plainId }: Pick<Origin, 'plainId'>): string | null {
  const id = schema.$id ?? (plainId ? schema.id : undefined);
  return typeof id === 'string' ? id : null;
}

function step(value: JsonValue | undefined, token: string): JsonValue | undefined {
  if (isArray(value)) return /^\d+$/.test(token) ? value[Number(token)] : undefined;
  return isObject(value) && Object.hasOwn(value, token) ? value[token] : undefined;
}

function resolveUri(reference: string, base: string): string {
  return URL.canParse(reference, base) ? new URL(reference, base).href : reference;
}

function splitFragment(uri: string): readonly string[] {
  const at = uri.indexOf('#');
  return at < 0 ? [uri, ''] : [uri.slice(0, at), uri.slice(at + 1)];
}

/** The URI of a dynamic anchor; an anchor without a name is the resource itself. */
function withAnchor(resource: string, name: string): string {
  return name === '' ? resource : `${resource}#${name}`;
}
