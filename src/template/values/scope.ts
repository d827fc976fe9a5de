/** Names and their values, in the scopes of one render. */
import type { Runtime } from './runtime.ts';
import type { Dict, Value } from './values.ts';

/** Names in scopes further out than this are charged. */
const freeLookups = 8;

/** Names and their values; other names are looked up in outer scopes, and then in the variables. */
export class Scope {
  readonly names = new Map<string, Value>();
  readonly runtime: Runtime;
  /** The caller's variables. */
  private readonly variables: Dict;
  private readonly outer: Scope | null;
  constructor(runtime: Runtime, variables: Dict, outer: Scope | null = null) {
    this.runtime = runtime;
    this.variables = variables;
    this.outer = outer;
  }
  /** A new scope within this one. */
  inner(): Scope {
    return new Scope(this.runtime, this.variables, this);
  }
  /** The scope of the whole template. */
  get outermost(): Scope {
    let scope: Scope = this;
    while (scope.outer !== null) scope = scope.outer;
    return scope;
  }
  /** A name's value, or `undefined` if it is not defined. */
  lookup(name: string): Value | undefined {
    let distance = 0;
    let value: Value | undefined;
    for (let scope: Scope | null = this; scope !== null && value === undefined; scope = scope.outer) {
      value = scope.names.get(name);
      distance += 1;
    }
    this.runtime.charge(distance > freeLookups ? distance >> 2 : 1);
    return value === undefined ? this.variables.get(this.runtime, name) : value;
  }
}
