/**
 * Expands constraints to shapes: for each JSON type, the disjunction of shapes that a conjunction of schema nodes
 * allows. Combinators are boolean operations on these disjunctions.
 */
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import { BudgetExceeded } from '../../language/expression/budget.ts';
import { schemaOfContainer } from '../document/containers.ts';
import { isArray, isObject, isSchema, type SchemaNode } from '../document/schema-document.ts';
import { anyShape } from './any-shape.ts';
import { readArrayKeywords } from './array-keywords.ts';
import { type Assertion, assertion, type ExpansionContext } from './assertions.ts';
import { keptApart, type Part } from './clauses.ts';
import type { Constraint } from './constraints.ts';
import { simplest, subsume, uniteAbsent } from './fewer-shapes.ts';
import { costOfProduct, intersectShapes } from './intersect-shapes.ts';
import { readNumberKeywords } from './number-keywords.ts';
import { readObjectKeywords } from './object-keywords.ts';
import { hasReference, referencesOf } from './references.ts';
import { keywordReporter } from './report-keywords.ts';
import { shapeKey } from './shape-keys.ts';
import { type Shape, type ValueType, valueTypes } from './shapes.ts';
import { readStringKeywords } from './string-keywords.ts';
import { forgetEvaluated, withUnevaluated } from './unevaluated.ts';
import { anythingHolds, namesOther, scalarValues, typeAssertion } from './value-keywords.ts';

const combinators = ['allOf', 'anyOf', 'oneOf', 'not', 'if'];
const maxShapes = 2000;
/** With more alternatives, unsatisfiable ones are searched for and dropped. */
const pruneThreshold = 24;
/** Maximum number of nested overlap tests; without a limit they could exhaust the stack. */
const maxDepth = 6;
/** Maximum number of alternatives of siblings that a `oneOf` takes into account. */
const maxContext = 12;

/** Whether two branches of one type have a common value; true if that cannot be determined. */
export type OverlapTest = (shapes: readonly Shape[]) => boolean;

/** Thrown when an overlap test reaches the node that started it. */
class Reentered extends Error {}

/** Expands nodes and constraints; memoises the results. */
export class Expander {
  readonly #context: ExpansionContext;
  readonly #mayProduce: OverlapTest;
  readonly #nodes = new Map<number, readonly Shape[]>();
  readonly #byConstraint = new Map<number, ReadonlyMap<ValueType, readonly Shape[]>>();
  /** Nodes being expanded, with the depth of overlap tests at which each began. */
  readonly #open = new Map<number, number>();
  readonly #reportKeywords: ReturnType<typeof keywordReporter>;
  #depth = 0;
  /** Whether the shapes of some node allow less than the node. */
  #narrowed = false;

  constructor(context: ExpansionContext, mayProduce: OverlapTest) {
    this.#context = context;
    this.#mayProduce = mayProduce;
    this.#reportKeywords = keywordReporter(context);
  }

  /** The shapes of `constraint` by type; types that it excludes are absent. */
  shapes(constraint: Constraint): ReadonlyMap<ValueType, readonly Shape[]> {
    const found = this.#byConstraint.get(constraint.id);
    if (found !== undefined) return found;
    const shapes = new Map<ValueType, readonly Shape[]>();
    for (const type of constraint.id < 0 ? [] : valueTypes) {
      const list = this.#conjunction(
        type,
        constraint.nodes.map(
          ({ node, holds }) =>
            () =>
              this.ofNode(node, holds, type),
        ),
      );
      if (list.length > 0) shapes.set(type, list);
    }
    this.#byConstraint.set(constraint.id, shapes);
    return shapes;
  }

  /** The shapes of `type` that `node` allows, or, if `holds` is false, rejects. */
  ofNode(node: SchemaNode, holds: boolean, type: ValueType): readonly Shape[] {
    const { schema } = node;
    if (typeof schema === 'boolean') return schema === holds ? this.#any(type) : [];
    // Most schemas name one type: for the others there is nothing to read.
    if (namesOther(schema, type) && !hasReference(schema)) return holds ? [] : this.#any(type);
    const key = (node.id * valueTypes.length + valueTypes.indexOf(type)) * 2 + Number(holds);
    const found = this.#nodes.get(key);
    if (found !== undefined) return found;
    const openedAt = this.#open.get(key);
    if (openedAt !== undefined && openedAt < this.#depth) throw new Reentered();
    if (openedAt !== undefined) {
      this.#context.report(node, '$ref', 'refers to itself without end; it is not enforced');
      return this.#any(type);
    }
    this.#open.set(key, this.#depth);
    try {
      const shapes = this.#expand(node, schema, holds, type);
      this.#nodes.set(key, shapes);
      return shapes;
    } finally {
      this.#open.delete(key);
    }
  }

  #any(type: ValueType): readonly Shape[] {
    return [anyShape(type, this.#context.terms, this.#context.constraints)];
  }

  #expand(node: SchemaNode, schema: JsonObject, holds: boolean, type: ValueType): readonly Shape[] {
    const assertions = this.#assertions(node, schema, type);
    if (assertions === 'never') return holds ? [] : this.#any(type);
    const shapes = holds
      ? this.#allHold(type, assertions)
      : this.#distinct(assertions.flatMap((each) => each.fails()));
    return withUnevaluated(shapes, node, schema, holds, type, this.#context, () =>
      this.#allHold(type, assertions),
    );
  }

  /** The conjunction of all assertions; those that benefit from knowing the others come last. */
  #allHold(type: ValueType, assertions: readonly Assertion[]): readonly Shape[] {
    const plain = assertions.filter(({ holdsAmong }) => holdsAmong === undefined);
    let shapes = this.#conjunction(
      type,
      plain.map((each) => each.holds),
    );
    for (const { holdsAmong } of assertions) {
      if (holdsAmong === undefined) continue;
      const others = shapes;
      shapes = this.#conjunction(type, [() => others, () => holdsAmong(others)]);
    }
    return shapes;
  }

  /** The assertions of `schema` about values of `type`; `never` if the type itself is excluded. */
  #assertions(node: SchemaNode, schema: JsonObject, type: ValueType): readonly Assertion[] | 'never' {
    const references = hasReference(schema) ? this.#references(node, schema, type) : [];
    this.#reportKeywords(node, schema);
    if (references.length > 0 && node.origin.refAlone) return references;
    const allowed = typeAssertion(schema, type);
    if (allowed === 'never') return 'never';
    const found: Assertion[] = [...allowed, ...references];
    const values = 'const' in schema ? [schema.const ?? null] : isArray(schema.enum) ? schema.enum : null;
    if (values !== null) found.push(this.#oneOfValues(values, node, type));
    if ('const' in schema && isArray(schema.enum)) found.push(this.#oneOfValues(schema.enum, node, type));
    return [...found, ...this.#keywords(schema, node, type), ...this.#combinators(schema, node, type)];
  }

  #keywords(schema: JsonObject, node: SchemaNode, type: ValueType): readonly Assertion[] {
    switch (type) {
      case 'string':
        return readStringKeywords(schema, node, this.#context);
      case 'number':
        return readNumberKeywords(schema, node, this.#context);
      case 'array':
        return readArrayKeywords(schema, node, this.#context);
      case 'object':
        return readObjectKeywords(schema, node, this.#context);
      default:
        return [];
    }
  }

  #references(node: SchemaNode, schema: JsonObject, type: ValueType): readonly Assertion[] {
    return referencesOf(schema, node, this.#context).map((target) => this.#whole(target, type));
  }

  #whole(node: SchemaNode, type: ValueType): Assertion {
    return assertion(
      () => this.ofNode(node, true, type),
      () => this.ofNode(node, false, type),
    );
  }

  #negation({ holds, fails }: Assertion): Assertion {
    return { holds: fails, fails: holds };
  }

  #combinators(schema: JsonObject, node: SchemaNode, type: ValueType): readonly Assertion[] {
    if (!combinators.some((keyword) => keyword in schema)) return [];
    const { document } = this.#context;
    const list = (keyword: string): readonly Assertion[] | null => {
      const branches = schema[keyword];
      if (!isArray(branches)) return null;
      return branches.flatMap((each, index) =>
        isSchema(each) ? [this.#whole(document.child(node, keyword, String(index)), type)] : [],
      );
    };
    const found: Assertion[] = [...(list('allOf') ?? [])];
    const any = list('anyOf');
    if (any !== null) found.push(this.#anyOf(any, type));
    const one = list('oneOf');
    if (one !== null) found.push(this.#oneOf(one, type, node));
    if (isSchema(schema.not)) found.push(this.#not(node, type));
    return isSchema(schema.if) ? [...found, ...this.#conditional(schema, node, type)] : found;
  }

  #not(node: SchemaNode, type: ValueType): Assertion {
    const inner = this.#negation(this.#whole(this.#context.document.child(node, 'not'), type));
    return { holds: () => inner.holds().map(forgetEvaluated), fails: inner.fails };
  }

  /** If a sibling depends on evaluated properties, it matters which branches hold, so all cases are distinguished. */
  #anyOf(branches: readonly Assertion[], type: ValueType): Assertion {
    const fails = () =>
      this.#conjunction(
        type,
        branches.map((each) => each.fails),
      );
    if (!this.#context.document.usesUnevaluated) {
      return assertion(() => this.#distinct(branches.flatMap((each) => each.holds())), fails);
    }
    return assertion(() => this.#cases(branches, type, 0), fails);
  }

  #cases(branches: readonly Assertion[], type: ValueType, at: number): readonly Shape[] {
    const branch = branches[at];
    if (branch === undefined) return [];
    const rest = branches.slice(at + 1);
    const refused = () => branch.fails().map(forgetEvaluated);
    const others = this.#cases(branches, type, at + 1);
    const onlyThis = this.#conjunction(type, [
      branch.holds,
      ...rest.map((each) => () => each.fails().map(forgetEvaluated)),
    ]);
    return this.#distinct([
      ...onlyThis,
      ...this.#conjunction(type, [branch.holds, () => others]),
      ...this.#conjunction(type, [refused, () => others]),
    ]);
  }

  #oneOf(branches: readonly Assertion[], type: ValueType, node: SchemaNode): Assertion {
    const exactlyOne = (context: readonly Shape[]) => {
      const among = this.#among(branches, type, context);
      const overlapping = this.#overlaps(branches, type, among);
      const cases = (fails: (other: Assertion, shapes: readonly Shape[]) => readonly Shape[]) =>
        this.#distinct(
          branches.flatMap((branch, index) => {
            const others = branches.filter((_, other) => overlapping.has(pairKey(index, other)));
            if (others.length === 0) return branch.holds();
            const own = among[index] ?? [];
            return this.#conjunction(type, [() => own, ...others.map((each) => () => fails(each, own))]);
          }),
        );
      try {
        return cases((other) => other.fails());
      } catch (error) {
        if (type !== 'object' || !(error instanceof BudgetExceeded) || error.subject !== 'alternatives')
          throw error;
      }
      const left = cases((other, own) => this.#absence(other, own));
      this.#narrowed = true;
      const reason = 'too many ways to fail the other branches: a key that each of them requires is left out';
      this.#context.report(node, 'oneOf', reason, 'narrowed');
      return left;
    };
    const none = () =>
      this.#conjunction(
        type,
        branches.map((each) => each.fails),
      );
    return {
      holds: () => exactlyOne(this.#any(type)),
      holdsAmong: (others) => exactlyOne(others.length > maxContext ? this.#any(type) : others),
      fails: () => {
        const overlaps = this.#overlaps(branches, type, this.#among(branches, type, this.#any(type)));
        return this.#distinct([...none(), ...[...overlaps.values()].flat()]);
      },
    };
  }

  /** Of `shapes`, the objects that fail `other` because a key is missing; if there is no such key, all that fail it. */
  #absence(other: Assertion, shapes: readonly Shape[]): readonly Shape[] {
    const possible = other
      .fails()
      .filter((shape) => this.#mayOverlap(this.#conjunction('object', [() => shapes, () => [shape]])));
    return simplest(possible);
  }

  /** What each branch allows, given `context`. */
  #among(
    branches: readonly Assertion[],
    type: ValueType,
    context: readonly Shape[],
  ): readonly (readonly Shape[])[] {
    return branches.map((branch) => this.#conjunction(type, [() => context, branch.holds]));
  }

  /** Intersections of each pair of branches that may overlap; `among` is what each allows. */
  #overlaps(
    branches: readonly Assertion[],
    type: ValueType,
    among: readonly (readonly Shape[])[],
  ): ReadonlyMap<string, readonly Shape[]> {
    const found = new Map<string, readonly Shape[]>();
    among.forEach((left, i) => {
      branches.slice(i + 1).forEach((right, offset) => {
        const common = this.#conjunction(type, [() => left, right.holds]);
        if (this.#mayOverlap(common)) found.set(pairKey(i, i + 1 + offset), common);
      });
    });
    return found;
  }

  /** Whether `shapes` may be satisfiable; true for a branch that depends on the node being expanded. */
  #mayOverlap(shapes: readonly Shape[]): boolean {
    if (this.#depth >= maxDepth) return true;
    this.#depth += 1;
    try {
      // If a branch allows more than its shapes, values outside all of its shapes may still be valid against it.
      return this.#mayProduce(shapes) || this.#narrowed;
    } catch (error) {
      if (error instanceof Reentered) return true;
      throw error;
    } finally {
      this.#depth -= 1;
    }
  }

  #conditional(schema: JsonObject, node: SchemaNode, type: ValueType): readonly Assertion[] {
    const { document } = this.#context;
    const condition = this.#whole(document.child(node, 'if'), type);
    const consequence = (keyword: 'then' | 'else'): Assertion =>
      isSchema(schema[keyword])
        ? this.#whole(document.child(node, keyword), type)
        : anythingHolds(() => this.#any(type));
    const [then, otherwise] = [consequence('then'), consequence('else')];
    const unless = () => condition.fails().map(forgetEvaluated);
    const either = (a: () => readonly Shape[], b: () => readonly Shape[]) => () =>
      this.#distinct([
        ...this.#conjunction(type, [condition.holds, a]),
        ...this.#conjunction(type, [unless, b]),
      ]);
    return [assertion(either(then.holds, otherwise.holds), either(then.fails, otherwise.fails))];
  }

  /** `enum` and `const`. */
  #oneOfValues(values: readonly JsonValue[], node: SchemaNode, type: ValueType): Assertion {
    return type === 'array' || type === 'object'
      ? this.#oneOfContainers(values, node, type)
      : scalarValues(values, type, this.#any(type), this.#context.terms);
  }

  #oneOfContainers(values: readonly JsonValue[], node: SchemaNode, type: 'array' | 'object'): Assertion {
    const nodes = values
      .filter((value) => (type === 'array' ? isArray(value) : isObject(value)))
      .map((value) => this.#context.document.synthetic(schemaOfContainer(value), node));
    return assertion(
      // A value required as a whole does not count as evaluated.
      () => this.#distinct(nodes.flatMap((each) => this.ofNode(each, true, type)).map(forgetEvaluated)),
      () =>
        this.#conjunction(
          type,
          nodes.map((each) => () => this.ofNode(each, false, type)),
        ),
    );
  }

  /** The conjunction of several disjunctions. */
  #conjunction(type: ValueType, parts: readonly Part[]): readonly Shape[] {
    if (parts.length === 0) return this.#any(type);
    const apart = type === 'object' && !this.#context.document.usesUnevaluated;
    return this.#multiply(apart ? keptApart(parts, (several) => this.#multiply(several)) : parts);
  }

  /** The product of `parts`, which must not be empty. */
  #multiply(parts: readonly Part[]): readonly Shape[] {
    const { terms, constraints, budget } = this.#context;
    const [first = () => [], ...rest] = parts;
    let shapes = this.#pruned(first());
    budget.spend(1 + shapes.length);
    for (const part of rest) {
      if (shapes.length === 0) return shapes;
      const others = part();
      budget.spend(costOfProduct(shapes, others));
      if (shapes.length * others.length > 20 * maxShapes) throw new BudgetExceeded('alternatives');
      const product = shapes.flatMap((a) =>
        others.flatMap((b) => intersectShapes(a, b, terms, constraints) ?? []),
      );
      shapes = this.#pruned(this.#distinct(product));
    }
    return shapes;
  }

  #pruned(shapes: readonly Shape[]): readonly Shape[] {
    return shapes.length > pruneThreshold ? shapes.filter((shape) => this.#mayOverlap([shape])) : shapes;
  }

  #distinct(shapes: readonly Shape[]): readonly Shape[] {
    if (shapes.length < 2) return shapes;
    const byKey = new Map(shapes.map((shape) => [shapeKey(shape), shape]));
    const left = subsume(uniteAbsent([...byKey.values()], this.#context.constraints));
    if (left.length > maxShapes) throw new BudgetExceeded('alternatives');
    return left;
  }
}

function pairKey(a: number, b: number): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}
