/** `unevaluatedProperties` and `unevaluatedItems`: rules for what the other keywords did not look at. */
import type { JsonObject } from '../../../format/messages.ts';
import { isSchema, type SchemaNode } from '../document/schema-document.ts';
import { arrayShape, type ExpansionContext, objectShape } from './assertions.ts';
import {
  type ArrayShape,
  allKeys,
  intersectShapes,
  type ObjectShape,
  type Shape,
  type ValueType,
} from './shapes.ts';

/**
 * `shapes` after the unevaluated-keywords of `schema`. `siblings` gives the shapes that the other
 * keywords allow, with what each has evaluated.
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
  const { terms, states } = context;
  const restrict = (shape: Shape): readonly Shape[] => {
    const wanted =
      shape.type === 'object'
        ? restOfObject(shape, unevaluated, holds, context)
        : shape.type === 'array'
          ? restOfArray(shape, unevaluated, holds, node, context)
          : null;
    if (wanted === null) return [];
    const left = intersectShapes(shape, wanted, terms, states);
    return left === null ? [] : [left];
  };
  return holds ? shapes.flatMap(restrict) : [...shapes, ...siblings().flatMap(restrict)];
}

function restOfObject(
  shape: ObjectShape,
  unevaluated: SchemaNode,
  holds: boolean,
  { states }: ExpansionContext,
): Shape | null {
  if (shape.evaluated.complement) return holds ? objectShape({}) : null;
  const rule = { keys: { ...shape.evaluated, complement: true }, state: states.of(unevaluated, holds) };
  return holds ? objectShape({ rules: [rule], evaluated: allKeys }) : objectShape({ some: [rule] });
}

function restOfArray(
  shape: ArrayShape,
  unevaluated: SchemaNode,
  holds: boolean,
  node: SchemaNode,
  context: ExpansionContext,
): Shape | null {
  const { states } = context;
  const { count } = shape.evaluated;
  const all = { count: Number.POSITIVE_INFINITY, states: [] };
  if (count === Number.POSITIVE_INFINITY) return holds ? arrayShape(states, {}) : null;
  if (shape.evaluated.states.length > 0 || (!holds && count > 0)) {
    context.report(node, 'unevaluatedItems', 'next to contains or under not it is not enforced');
    return arrayShape(states, {});
  }
  const state = states.of(unevaluated, holds);
  if (!holds) return arrayShape(states, { contains: [{ state, min: 1, max: null }] });
  const prefix = Array.from({ length: count }, () => states.anything);
  return arrayShape(states, { prefix, rest: state, evaluated: all });
}

/** A refused branch has evaluated nothing. */
export function forgetEvaluated(shape: Shape): Shape {
  if (shape.type === 'array') return { ...shape, evaluated: { count: 0, states: [] } };
  if (shape.type === 'object') {
    return { ...shape, evaluated: { names: new Set(), patterns: [], complement: false } };
  }
  return shape;
}
