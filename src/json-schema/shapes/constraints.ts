/** Constraints: conjunctions of schema nodes and negated nodes, interned so that equal ones are identical. */
import type { JsonSchema } from '../../format/messages.ts';
import { BudgetExceeded } from '../../language/expression/budget.ts';
import { isArray, plainScalar, type SchemaNode, saysNothing } from '../document/schema-document.ts';

/** "All of these nodes, none of those". Equal ids mean equal constraints. */
export interface Constraint {
  readonly id: number;
  /** Sorted by node id. */
  readonly nodes: readonly SignedNode[];
}
interface SignedNode {
  readonly node: SchemaNode;
  /** `false`: the value must not be valid against the node. */
  readonly holds: boolean;
}

const maxStates = 20_000;

/** Makes and interns constraints. */
export class Constraints {
  readonly #interned = new Map<string, Constraint>();
  /** The first of all equal sub-schemas that require only a scalar type; most schemas have many of them. */
  readonly #scalars = new Map<string, SchemaNode>();
  /** Every value. */
  readonly anything: Constraint = this.#intern([]);
  /** No value; no list of nodes gives this. */
  readonly nothing: Constraint = { id: -1, nodes: [] };

  readonly #meant: (node: SchemaNode) => SchemaNode;

  /** `meant` follows a node that is only a reference. */
  constructor(meant: (node: SchemaNode) => SchemaNode = (node) => node) {
    this.#meant = meant;
  }

  #intern(nodes: readonly SignedNode[]): Constraint {
    const key = nodes.map(({ node, holds }) => (holds ? node.id : `!${node.id}`)).join();
    const found = this.#interned.get(key);
    if (found !== undefined) return found;
    if (this.#interned.size >= maxStates) throw new BudgetExceeded('combinations of sub-schemas');
    const constraint: Constraint = { id: this.#interned.size, nodes };
    this.#interned.set(key, constraint);
    return constraint;
  }

  /** Values valid against `named`, or, if `holds` is false, those that are not. */
  of(named: SchemaNode, holds = true): Constraint {
    const node = this.#meant(named);
    const { schema } = node;
    if (typeof schema === 'boolean') return schema === holds ? this.anything : this.nothing;
    if (saysNothing(schema)) return holds ? this.anything : this.nothing;
    return this.#intern([{ node: this.#same(node), holds }]);
  }

  /** The canonical node that is equivalent to `node`. */
  #same(node: SchemaNode): SchemaNode {
    const type = plainScalar(node.schema);
    if (type === null) return node;
    const first = this.#scalars.get(type) ?? node;
    this.#scalars.set(type, first);
    return first;
  }

  /** The conjunction. */
  and(a: Constraint, b: Constraint): Constraint {
    if (a === b || b === this.anything) return a;
    if (a === this.anything) return b;
    if (a === this.nothing || b === this.nothing) return this.nothing;
    const merged = mergeSorted(a.nodes, b.nodes);
    return merged === null ? this.nothing : this.#intern(merged);
  }

  /** Whether the conjunction is obviously empty. */
  exclude(a: Constraint, b: Constraint): boolean {
    if (a === this.nothing || b === this.nothing) return true;
    return a.nodes.some((left) => b.nodes.some((right) => contradict(left, right)));
  }

  /** Whether every value of `a` is obviously one of `b`. */
  implies(a: Constraint, b: Constraint): boolean {
    if (a === this.nothing || b === this.anything) return true;
    if (b === this.nothing) return false;
    return b.nodes.every((right) => a.nodes.some((left) => follows(left, right)));
  }

  /** The negation; `null` if no conjunction expresses it. */
  not(constraint: Constraint): Constraint | null {
    if (constraint === this.anything) return this.nothing;
    if (constraint === this.nothing) return this.anything;
    const [only, second] = constraint.nodes;
    return only === undefined || second !== undefined ? null : this.of(only.node, !only.holds);
  }
}

/** Merges both lists; `null` if they contain a node and its negation. */
function mergeSorted(a: readonly SignedNode[], b: readonly SignedNode[]): readonly SignedNode[] | null {
  const merged: SignedNode[] = [];
  let at = 0;
  for (const each of a) {
    for (let other = b[at]; other !== undefined && other.node.id < each.node.id; other = b[at]) {
      merged.push(other);
      at += 1;
    }
    merged.push(each);
    const same = b[at];
    if (same?.node.id !== each.node.id) continue;
    if (same.holds !== each.holds) return null;
    at += 1;
  }
  for (; at < b.length; at += 1) {
    const left = b[at];
    if (left !== undefined) merged.push(left);
  }
  return merged;
}

function contradict(a: SignedNode, b: SignedNode): boolean {
  if (a.node === b.node) return a.holds !== b.holds;
  if (!a.holds || !b.holds) return false;
  const left = listedValues(a.node);
  const right = listedValues(b.node);
  return left !== null && right !== null && ![...left].some((value) => right.has(value));
}

/** Whether `a` obviously implies `b`. */
function follows(a: SignedNode, b: SignedNode): boolean {
  if (a.node === b.node) return a.holds === b.holds;
  const left = a.holds ? listedValues(a.node) : null;
  const right = left === null ? null : listedValues(b.node);
  if (left === null || right === null) return false;
  if (!b.holds) return ![...left].some((value) => right.has(value));
  return onlyLists(b.node) && [...left].every((value) => right.has(value));
}

/** Whether a node that lists values has no other assertion. */
function onlyLists({ schema }: SchemaNode): boolean {
  if (typeof schema === 'boolean') return false;
  const { const: value, enum: values, ...rest } = schema;
  return (value === undefined || values === undefined) && saysNothing(rest);
}

const knownValues = new WeakMap<SchemaNode, ReadonlySet<string> | null>();

/** The values that `const` or `enum` lists, as JSON; `null` without either, or if one is a container. */
function listedValues(node: SchemaNode): ReadonlySet<string> | null {
  const known = knownValues.get(node);
  if (known !== undefined) return known;
  const values = readValues(node.schema);
  knownValues.set(node, values);
  return values;
}

function readValues(schema: JsonSchema): ReadonlySet<string> | null {
  if (typeof schema === 'boolean' || '$ref' in schema) return null;
  const values = schema.const === undefined ? schema.enum : [schema.const];
  if (!isArray(values) || values.some((value) => typeof value === 'object' && value !== null)) return null;
  return new Set(values.map((value) => JSON.stringify(value)));
}
