/**
 * Constraints into shapes: for each JSON type the disjunction of shapes that a conjunction of schema nodes
 * allows. Combinators are boolean operations on such disjunctions.
 */
import type { JsonObject, JsonValue } from '../../../format/messages.ts';
import { BudgetExceeded } from '../../expression/budget.ts';
import { schemaOfContainer } from '../document/containers.ts';
import { isArray, isObject, isSchema, type SchemaNode } from '../document/schema-document.ts';
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
import { anyShape, type Shape, type ValueType, valueTypes } from './shapes.ts';
import { readStringKeywords } from './string-keywords.ts';
import { forgetEvaluated, withUnevaluated } from './unevaluated.ts';
import { anythingHolds, scalarValues, typeAssertion } from './value-keywords.ts';

const combinators = ['allOf', 'anyOf', 'oneOf', 'not', 'if'];
const maxShapes = 2000;
/** Where there are more alternatives, those that nothing is of are looked for and dropped. */
const pruneThreshold = 24;
/** Overlap tests inside of overlap tests; deeper ones are not made, so that they end before the stack does. */
const maxDepth = 6;
/** Alternatives of neighbours that a `oneOf` takes into account. */
const maxContext = 12;

/** Whether two branches of one type have a value in common; may say yes where it cannot know. */
export type OverlapTest = (shapes: readonly Shape[]) => boolean;

/** An overlap test came back to the node that asked for it. */
class Reentered extends Error {}

/** Expands nodes and constraints, remembering what it has done. */
export class Expander {
  readonly #context: ExpansionContext;
  readonly #mayProduce: OverlapTest;
  readonly #nodes = new Map<number, readonly Shape[]>();
  readonly #byConstraint = new Map<number, ReadonlyMap<ValueType, readonly Shape[]>>();
  /** Nodes that are being expanded, and how many overlap tests deep that began. */
  readonly #open = new Map<number, number>();
  readonly #reportKeywords: ReturnType<typeof keywordReporter>;
  #depth = 0;
  /** Whether shapes of some node are fewer than it allows. */
  #narrowed = false;

  constructor(context: ExpansionContext, mayProduce: OverlapTest) {
    this.#context = context;
    this.#mayProduce = mayProduce;
    this.#reportKeywords = keywordReporter(context);
  }

  /** The shapes of `constraint` by type; types that it does not allow are missing. */
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

  /** The shapes of `type` that `node` allows, or with `holds` false refuses. */
  ofNode(node: SchemaNode, holds: boolean, type: ValueType): readonly Shape[] {
    const { schema } = node;
    if (typeof schema === 'boolean') return schema === holds ? this.#any(type) : [];
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

  /** What all assertions allow; those that profit from knowing the others come last. */
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

  /** What `schema` asserts about values of `type`, or `never` where the type itself is refused. */
  #assertions(node: SchemaNode, schema: JsonObject, type: ValueType): readonly Assertion[] | 'never' {
    const references = hasReference(schema) ? this.#references(node, schema, type) : [];
    if (references.length > 0 && node.origin.refAlone) return references;
    this.#reportKeywords(node, schema);
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
    if (isSchema(schema.if)) found.push(...this.#conditional(schema, node, type));
    return found;
  }

  #not(node: SchemaNode, type: ValueType): Assertion {
    const inner = this.#negation(this.#whole(this.#context.document.child(node, 'not'), type));
    return { holds: () => inner.holds().map(forgetEvaluated), fails: inner.fails };
  }

  /** Where a neighbour asks what was evaluated, it matters which branches hold, so all cases are told apart. */
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

  /** What fails `other` for want of a key, among objects of `shapes`; all that fails it where no key does. */
  #absence(other: Assertion, shapes: readonly Shape[]): readonly Shape[] {
    const possible = other
      .fails()
      .filter((shape) => this.#mayOverlap(this.#conjunction('object', [() => shapes, () => [shape]])));
    return simplest(possible);
  }

  /** What each branch allows among `context`. */
  #among(
    branches: readonly Assertion[],
    type: ValueType,
    context: readonly Shape[],
  ): readonly (readonly Shape[])[] {
    return branches.map((branch) => this.#conjunction(type, [() => context, branch.holds]));
  }

  /** What two branches have in common, by pair, where that may be something; `among` is what each allows. */
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

  /** Whether something is of `shapes`. A branch that needs the very node being expanded may be. */
  #mayOverlap(shapes: readonly Shape[]): boolean {
    if (this.#depth >= maxDepth) return true;
    this.#depth += 1;
    try {
      // Where a branch allows more than was written down, what is of none of its shapes may still be of it.
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
      // A value that is asked for as a whole counts as not looked into.
      () => this.#distinct(nodes.flatMap((each) => this.ofNode(each, true, type)).map(forgetEvaluated)),
      () =>
        this.#conjunction(
          type,
          nodes.map((each) => () => this.ofNode(each, false, type)),
        ),
    );
  }

  /** What all of several disjunctions allow together. */
  #conjunction(type: ValueType, parts: readonly Part[]): readonly Shape[] {
    if (parts.length === 0) return this.#any(type);
    const apart = type === 'object' && !this.#context.document.usesUnevaluated;
    return this.#multiply(apart ? keptApart(parts, (several) => this.#multiply(several)) : parts);
  }

  /** What all of `parts`, at least one, allow together. */
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
