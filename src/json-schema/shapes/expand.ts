/**
 * Expands constraints to shapes: for each JSON type, the disjunction of shapes that a conjunction of schema nodes
 * allows. Combinators are boolean operations on these disjunctions.
 */
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import { BudgetExceeded } from '../../language/expression/budget.ts';
import { schemaOfContainer } from '../document/containers.ts';
import { isArray, isObject, isSchema, type SchemaNode } from '../document/schema-document.ts';
import { readArrayKeywords } from './array-keywords.ts';
import { type Assertion, assertion, type ExpansionContext } from './assertions.ts';
import type { Constraint } from './constraints.ts';
import { Disjunctions, type OverlapTest, Reentered } from './disjunctions.ts';
import { simplest } from './fewer-shapes.ts';
import { holdsHalf } from './keyword-kinds.ts';
import { readNumberKeywords } from './number-keywords.ts';
import { readObjectKeywords } from './object-keywords.ts';
import { hasReference, referencesOf } from './references.ts';
import { keywordReporter } from './report-keywords.ts';
import { type Shape, type ValueType, valueTypes } from './shapes.ts';
import { readStringKeywords } from './string-keywords.ts';
import { forgetEvaluated, withUnevaluated } from './unevaluated.ts';
import { anythingHolds, namesOther, scalarValues, typeAssertion } from './value-keywords.ts';

const combinators = ['allOf', 'anyOf', 'oneOf', 'not', 'if'];
/** Maximum number of alternatives of siblings that a `oneOf` takes into account. */
const maxContext = 12;

/** Expands nodes and constraints; memoises the results. */
export class Expander {
  readonly #context: ExpansionContext;
  readonly #disjunctions: Disjunctions;
  readonly #nodes = new Map<number, readonly Shape[]>();
  readonly #byConstraint = new Map<number, ReadonlyMap<ValueType, readonly Shape[]>>();
  /** Nodes being expanded, with the depth of overlap tests at which each began. */
  readonly #open = new Map<number, number>();
  readonly #reportKeywords: ReturnType<typeof keywordReporter>;

  constructor(context: ExpansionContext, mayProduce: OverlapTest) {
    this.#context = context;
    this.#disjunctions = new Disjunctions(context, mayProduce);
    this.#reportKeywords = keywordReporter(context);
  }

  /** The shapes of `constraint` by type; types that it excludes are absent. */
  shapes(constraint: Constraint): ReadonlyMap<ValueType, readonly Shape[]> {
    const found = this.#byConstraint.get(constraint.id);
    if (found !== undefined) return found;
    const shapes = new Map<ValueType, readonly Shape[]>();
    for (const type of constraint.id < 0 ? [] : valueTypes) {
      const list = this.#disjunctions.conjunction(
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
    if (typeof schema === 'boolean') return schema === holds ? this.#disjunctions.any(type) : [];
    // Most schemas name one type: for the others there is nothing to read.
    if (namesOther(schema, type) && !hasReference(schema)) return holds ? [] : this.#disjunctions.any(type);
    const key = (node.id * valueTypes.length + valueTypes.indexOf(type)) * 2 + Number(holds);
    const found = this.#nodes.get(key);
    if (found !== undefined) return found;
    const openedAt = this.#open.get(key);
    if (openedAt !== undefined && openedAt < this.#disjunctions.depth) throw new Reentered();
    if (openedAt !== undefined) {
      this.#context.report(node, '$ref', 'refers to itself without end; it is not enforced');
      return this.#disjunctions.any(type);
    }
    this.#open.set(key, this.#disjunctions.depth);
    try {
      const shapes = this.#expand(node, schema, holds, type);
      this.#nodes.set(key, shapes);
      return shapes;
    } finally {
      this.#open.delete(key);
    }
  }

  #expand(node: SchemaNode, schema: JsonObject, holds: boolean, type: ValueType): readonly Shape[] {
    const assertions = this.#assertions(node, schema, type);
    if (assertions === 'never') return holds ? [] : this.#disjunctions.any(type);
    const shapes = holds
      ? this.#allHold(type, assertions)
      : this.#disjunctions.distinct(assertions.flatMap((each) => each.fails()));
    return withUnevaluated(shapes, node, schema, holds, type, this.#context, () =>
      this.#allHold(type, assertions),
    );
  }

  /** The conjunction of all assertions; those that benefit from knowing the others come last. */
  #allHold(type: ValueType, assertions: readonly Assertion[]): readonly Shape[] {
    const plain = assertions.filter(({ holdsAmong }) => holdsAmong === undefined);
    let shapes = this.#disjunctions.conjunction(
      type,
      plain.map((each) => each.holds),
    );
    for (const { holdsAmong } of assertions) {
      if (holdsAmong === undefined) continue;
      const others = shapes;
      shapes = this.#disjunctions.conjunction(type, [() => others, () => holdsAmong(others)]);
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
      this.#disjunctions.conjunction(
        type,
        branches.map((each) => each.fails),
      );
    if (!this.#context.document.usesUnevaluated) {
      return assertion(() => this.#disjunctions.distinct(branches.flatMap((each) => each.holds())), fails);
    }
    return assertion(() => this.#cases(branches, type, 0), fails);
  }

  #cases(branches: readonly Assertion[], type: ValueType, at: number): readonly Shape[] {
    const branch = branches[at];
    if (branch === undefined) return [];
    const rest = branches.slice(at + 1);
    const refused = () => branch.fails().map(forgetEvaluated);
    const others = this.#cases(branches, type, at + 1);
    const onlyThis = this.#disjunctions.conjunction(type, [
      branch.holds,
      ...rest.map((each) => () => each.fails().map(forgetEvaluated)),
    ]);
    return this.#disjunctions.distinct([
      ...onlyThis,
      ...this.#disjunctions.conjunction(type, [branch.holds, () => others]),
      ...this.#disjunctions.conjunction(type, [refused, () => others]),
    ]);
  }

  #oneOf(branches: readonly Assertion[], type: ValueType, node: SchemaNode): Assertion {
    const exactlyOne = (context: readonly Shape[]) => {
      const among = this.#among(branches, type, context);
      const overlapping = this.#overlaps(branches, type, among);
      const cases = (fails: (other: Assertion, shapes: readonly Shape[]) => readonly Shape[]) =>
        this.#disjunctions.distinct(
          branches.flatMap((branch, index) => {
            const others = branches.filter((_, other) => overlapping.has(pairKey(index, other)));
            if (others.length === 0) return branch.holds();
            const own = among[index] ?? [];
            return this.#disjunctions.conjunction(type, [
              () => own,
              // What only failed branches looked at counts as not evaluated.
              ...others.map((each) => () => fails(each, own).map(forgetEvaluated)),
            ]);
          }),
        );
      try {
        return cases((other) => other.fails());
      } catch (error) {
        if (type !== 'object' || !(error instanceof BudgetExceeded) || error.subject !== 'alternatives')
          throw error;
      }
      const left = cases((other, own) => this.#absence(other, own));
      this.#disjunctions.narrowed = true;
      const reason = 'too many ways to fail the other branches: a key that each of them requires is left out';
      this.#context.report(node, 'oneOf', reason, 'narrowed');
      return left;
    };
    const none = () =>
      this.#disjunctions.conjunction(
        type,
        branches.map((each) => each.fails),
      );
    return {
      holds: () => exactlyOne(this.#disjunctions.any(type)),
      holdsAmong: (others) => exactlyOne(others.length > maxContext ? this.#disjunctions.any(type) : others),
      fails: () => {
        const overlaps = this.#overlaps(
          branches,
          type,
          this.#among(branches, type, this.#disjunctions.any(type)),
        );
        return this.#disjunctions.distinct([...none(), ...[...overlaps.values()].flat()]);
      },
    };
  }

  /** Of `shapes`, the objects that fail `other` because a key is missing; if there is no such key, all that fail it. */
  #absence(other: Assertion, shapes: readonly Shape[]): readonly Shape[] {
    const possible = other
      .fails()
      .filter((shape) =>
        this.#disjunctions.mayOverlap(
          this.#disjunctions.conjunction('object', [() => shapes, () => [shape]]),
        ),
      );
    return simplest(possible);
  }

  /** What each branch allows, given `context`. */
  #among(
    branches: readonly Assertion[],
    type: ValueType,
    context: readonly Shape[],
  ): readonly (readonly Shape[])[] {
    return branches.map((branch) => this.#disjunctions.conjunction(type, [() => context, branch.holds]));
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
        const common = this.#disjunctions.conjunction(type, [() => left, right.holds]);
        if (this.#disjunctions.mayOverlap(common)) found.set(pairKey(i, i + 1 + offset), common);
      });
    });
    return found;
  }

  #conditional(schema: JsonObject, node: SchemaNode, type: ValueType): readonly Assertion[] {
    const { document } = this.#context;
    const condition = this.#whole(document.child(node, 'if'), type);
    const consequence = (keyword: 'then' | 'else'): Assertion =>
      isSchema(schema[keyword])
        ? this.#whole(document.child(node, keyword), type)
        : anythingHolds(() => this.#disjunctions.any(type));
    const [then, otherwise] = [consequence('then'), consequence('else')];
    const unless = () => condition.fails().map(forgetEvaluated);
    const either = (a: () => readonly Shape[], b: () => readonly Shape[]) => () =>
      this.#disjunctions.distinct([
        ...this.#disjunctions.conjunction(type, [condition.holds, a]),
        ...this.#disjunctions.conjunction(type, [unless, b]),
      ]);
    return [assertion(either(then.holds, otherwise.holds), either(then.fails, otherwise.fails))];
  }

  /** `enum` and `const`. */
  #oneOfValues(listed: readonly JsonValue[], node: SchemaNode, type: ValueType): Assertion {
    const values = listed.filter((value) => !holdsHalf(value));
    return type === 'array' || type === 'object'
      ? this.#oneOfContainers(values, node, type)
      : scalarValues(values, type, this.#disjunctions.any(type), this.#context.terms);
  }

  #oneOfContainers(values: readonly JsonValue[], node: SchemaNode, type: 'array' | 'object'): Assertion {
    const nodes = values
      .filter((value) => (type === 'array' ? isArray(value) : isObject(value)))
      .map((value) => this.#context.document.synthetic(schemaOfContainer(value), node));
    return assertion(
      // A value required as a whole does not count as evaluated.
      () =>
        this.#disjunctions.distinct(
          nodes.flatMap((each) => this.ofNode(each, true, type)).map(forgetEvaluated),
        ),
      () =>
        this.#disjunctions.conjunction(
          type,
          nodes.map((each) => () => this.ofNode(each, false, type)),
        ),
    );
  }
}

function pairKey(a: number, b: number): string {
  return a < b ? `${a} ${b}` : `${b} ${a}`;
}
