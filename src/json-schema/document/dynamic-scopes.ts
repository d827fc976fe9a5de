/**
 * Dynamic scopes. The target of `$dynamicRef` depends on the resources entered on the path through the schema. Only
 * the first resource with each anchor matters, and only if several resources have that anchor, so few scopes are
 * distinct; a schema without such anchors has one.
 */

/** The relevant part of a path. Equal ids mean equal scopes. */
export interface DynamicScope {
  readonly id: number;
  /** For each anchor name, the URI of the first resource on the path that has it. */
  readonly first: ReadonlyMap<string, string>;
}

const maxScopes = 200;

/** Makes and interns the scopes of a schema. */
export class DynamicScopes {
  /** Names of a resource's dynamic anchors, by URI; the name of `$recursiveAnchor` is empty. */
  readonly #anchorsOf = new Map<string, Set<string>>();
  readonly #resourcesWith = new Map<string, Set<string>>();
  readonly #interned = new Map<string, DynamicScope>();
  readonly #entered = new Map<string, DynamicScope>();
  readonly outside: DynamicScope = this.#intern(new Map());
  #isBounded = true;

  /** False if there were too many scopes; the targets of later references are then unknown. */
  get isBounded(): boolean {
    return this.#isBounded;
  }

  /** Registers a dynamic anchor of resource `uri`. Call it for all anchors before the first `enter`. */
  add(anchor: string, uri: string): void {
    addTo(this.#anchorsOf, uri, anchor);
    addTo(this.#resourcesWith, anchor, uri);
  }

  /** The scope after entering resource `uri` from `scope`. */
  enter(scope: DynamicScope, uri: string): DynamicScope {
    const anchors = this.#anchorsOf.get(uri);
    if (anchors === undefined) return scope;
    const key = `${scope.id} ${uri}`;
    const known = this.#entered.get(key) ?? this.#enter(scope, uri, anchors);
    this.#entered.set(key, known);
    return known;
  }

  #enter(scope: DynamicScope, uri: string, anchors: ReadonlySet<string>): DynamicScope {
    const added = [...anchors].filter(
      (anchor) => !scope.first.has(anchor) && (this.#resourcesWith.get(anchor)?.size ?? 0) > 1,
    );
    if (added.length === 0) return scope;
    return this.#intern(new Map([...scope.first, ...added.map((anchor) => [anchor, uri] as const)]));
  }

  #intern(first: ReadonlyMap<string, string>): DynamicScope {
    const key = JSON.stringify([...first].sort(([a], [b]) => (a < b ? -1 : 1)));
    const known = this.#interned.get(key);
    if (known !== undefined) return known;
    if (this.#interned.size >= maxScopes) {
      this.#isBounded = false;
      return this.outside;
    }
    const scope = { id: this.#interned.size, first };
    this.#interned.set(key, scope);
    return scope;
  }
}

function addTo(sets: Map<string, Set<string>>, key: string, value: string): void {
  const known = sets.get(key);
  if (known === undefined) sets.set(key, new Set([value]));
  else known.add(value);
}
