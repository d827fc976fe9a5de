/**
 * Dynamic scopes: what `$dynamicRef` means depends on the resources that a way through the schema has entered. Of all
 * that, only the first resource with each anchor matters, and only where several resources have the anchor; so the
 * ways fall into few scopes, and a schema without such anchors has one.
 */

/** What a way through the schema has entered. Equal ids mean equal scopes. */
export interface DynamicScope {
  readonly id: number;
  /** By name of an anchor, the URI of the first resource on the way that has it. */
  readonly first: ReadonlyMap<string, string>;
}

const maxScopes = 200;

/** Makes and interns the scopes of a schema. */
export class DynamicScopes {
  /** The names of the dynamic anchors of a resource, by its URI; that of `$recursiveAnchor` is empty. */
  readonly #anchorsOf = new Map<string, Set<string>>();
  readonly #resourcesWith = new Map<string, Set<string>>();
  readonly #interned = new Map<string, DynamicScope>();
  readonly #entered = new Map<string, DynamicScope>();
  readonly outside: DynamicScope = this.#intern(new Map());
  #isBounded = true;

  /** Whether there were few enough scopes. Where not, what references mean afterwards is not known. */
  get isBounded(): boolean {
    return this.#isBounded;
  }

  /** Says that the resource `uri` has a dynamic anchor. All are said before any is entered. */
  add(anchor: string, uri: string): void {
    addTo(this.#anchorsOf, uri, anchor);
    addTo(this.#resourcesWith, anchor, uri);
  }

  /** The scope of a way that enters the resource `uri` in `scope`. */
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
