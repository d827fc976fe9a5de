/** `unevaluatedProperties` and `unevaluatedItems`: rules for what no other keyword evaluated. */
import type { JsonObject } from '../../format/messages.ts';
import { isSchema, type SchemaNode } from '../document/schema-document.ts';
import { arrayShape, objectShape } from './any-shape.ts';
import type { ExpansionContext } from './assertions.ts';
import { intersectShapes } from './intersect-shapes.ts';
import { allKeys } from './key-sets.ts';
import type { ArrayShape, ObjectShape, Shape, ValueType } from './shapes.ts';

/**
 * Applies the unevaluated keywords of `schema` to `shapes`. `siblings` gives the shapes that the other keywords
 * allow, with what each has evaluated.
 */
export function withUnevaluated(
  shapes: readonly Shape[],
  node: SchemaNode,
  schema: JsonObject,
  holds: boolean,
  type: ValueType,
  context: ExpansionContext,
  siblings: () => readonly Shape[],
): readonly Shape[] {
  const keyword = type === 'object' ? 'unevaluatedProperties' : type === 'array' ? 'unevaluatedItems' : null;
  if (keyword === null || !isSchema(schema[keyword])) return shapes;
  const unevaluated = context.document.child(node, keyword);
  const { terms, constraints } = context;
  const restrict = (shape: Shape): readonly Shape[] => {
    const wanted =
      shape.type === 'object'
        ? restOfObject(shape, unevaluated, holds, context)
        : shape.type === 'array'
          ? restOfArray(shape, unevaluated, holds, node, context)
          : null;
    if (wanted === null) return [];
    const left = intersectShapes(shape, wanted, terms, constraints);
    return left === null ? [] : [left];
  };
  return holds ? shapes.flatMap(restrict) : [...shapes, ...siblings().flatMap(restrict)];
}

function restOfObject(
  shape: ObjectShape,
  unevaluated: SchemaNode,
  holds: boolean,
  { constraints }: ExpansionContext,
): Shape | null {
  if (shape.evaluated.complement) return holds ? objectShape({}) : null;
  const rule = {
    keys: { ...shape.evaluated, complement: true },
    constraint: constraints.of(unevaluated, holds),
  };
  return holds ? objectShape({ rules: [rule], evaluated: allKeys }) : objectShape({ some: [rule] });
}

function restOfArray(
  shape: ArrayShape,
  unevaluated: SchemaNode,
  holds: boolean,
  node: SchemaNode,
  context: ExpansionContext,
): Shape | null {
  const { constraints } = context;
  const { count } = shape.evaluated;
  const all = { count: Number.POSITIVE_INFINITY, constraints: [] };
  if (count === Number.POSITIVE_INFINITY) return holds ? arrayShape(constraints, {}) : null;
  const wanted = withContained(shape, unevaluated, node, context);
  if (wanted === null || (!holds && count > 0)) {
    context.report(
      node,
      'unevaluatedItems',
      'under not after a prefix, or with a contains of another resource, it is not enforced',
    );
    return arrayShape(constraints, {});
  }
  const constraint = constraints.of(wanted, holds);
  if (!holds) return arrayShape(constraints, { contains: [{ constraint, min: 1, max: null }] });
  const prefix = Array.from({ length: count }, () => constraints.anything);
  return arrayShape(constraints, { prefix, rest: constraint, evaluated: all });
}

/** The constraint of items evaluated by no keyword except `contains`; `null` if no schema expresses it. */
function withContained(
  shape: ArrayShape,
  unevaluated: SchemaNode,
  node: SchemaNode,
  { document }: ExpansionContext,
): SchemaNode | null {
  const contained = shape.evaluated.constraints;
  if (contained.length === 0) return unevaluated;
  const schemas = contained.map(({ nodes: [only, second] }) =>
    only === undefined || second !== undefined || !haveSameReferences(only.node, node)
      ? null
      : only.holds
        ? only.node.schema
        : { not: only.node.schema },
  );
  const known = schemas.filter((schema) => schema !== null);
  if (known.length < schemas.length) return null;
  return document.synthetic({ anyOf: [unevaluated.schema, ...known] }, node);
}

/** Whether references in both nodes have the same targets. */
function haveSameReferences(a: SchemaNode, b: SchemaNode): boolean {
  return a.origin.base === b.origin.base && a.scope === b.scope;
}

/** Drops evaluation marks: a failing branch evaluates nothing. */
export function forgetEvaluated(shape: Shape): Shape {
  if (shape.type === 'array') return { ...shape, evaluated: { count: 0, constraints: [] } };
  if (shape.type === 'object') {
    return { ...shape, evaluated: { names: new Set(), patterns: [], complement: false } };
  }
  return shape;
}
