/** `prefixItems`, `items`, `additionalItems`, `contains`, `minItems`, `maxItems`, `uniqueItems`. */
import type { JsonObject } from '../../format/messages.ts';
import { isArray, isSchema, type SchemaNode } from '../document/schema-document.ts';
import { arrayShape } from './any-shape.ts';
import {
  type Assertion,
  assertion,
  countAssertions,
  countOf,
  type ExpansionContext,
  type KeywordReader,
  unenforced,
} from './assertions.ts';
import type { Shape } from './shapes.ts';

/** Reads the array keywords. */
export const readArrayKeywords: KeywordReader = (schema, node, context) => {
  const found: Assertion[] = [];
  const items = itemsAssertion(schema, node, context);
  if (items !== null) found.push(items);
  found.push(
    ...countAssertions(schema, ['minItems', 'maxItems'], (range) => arrayShape(context.constraints, range)),
  );
  if (isSchema(schema.contains)) found.push(containsAssertion(schema, node, context));
  if (schema.uniqueItems === true) {
    const { fails } = unenforced('array', context);
    found.push(
      assertion(
        () => [arrayShape(context.constraints, { unique: true })],
        () => {
          context.report(node, 'uniqueItems', 'no grammar says that two items are equal', 'checked');
          return fails();
        },
      ),
    );
  }
  return found;
};

/** The nodes for the first items and for the rest, in the syntax of any draft. */
export function itemNodes(
  schema: JsonObject,
  node: SchemaNode,
  context: Pick<ExpansionContext, 'document'>,
): ItemNodes {
  // Asked for each place of a list, and there may be thousands.
  const known = schema === node.schema ? knownItems.get(node) : undefined;
  const nodes = known ?? readItemNodes(schema, node, context);
  if (schema === node.schema) knownItems.set(node, nodes);
  return nodes;
}

interface ItemNodes {
  readonly prefix: readonly SchemaNode[];
  readonly rest: SchemaNode | null;
}

const knownItems = new WeakMap<SchemaNode, ItemNodes>();

function readItemNodes(
  schema: JsonObject,
  node: SchemaNode,
  { document }: Pick<ExpansionContext, 'document'>,
): ItemNodes {
  const tuple = isArray(schema.prefixItems) ? 'prefixItems' : isArray(schema.items) ? 'items' : null;
  const listed = tuple === null ? [] : schema[tuple];
  const prefix = (isArray(listed) ? listed : []).flatMap((item, index) =>
    tuple !== null && isSchema(item) ? [document.child(node, tuple, String(index))] : [],
  );
  const restKeyword =
    tuple === 'items' ? 'additionalItems' : hasItemsAsPrefix(schema) ? 'prefixItems' : 'items';
  const rest = isSchema(schema[restKeyword]) ? document.child(node, restKeyword) : null;
  return { prefix, rest };
}

/** Whether `prefixItems` is one schema instead of a list; it is then read as `items`, as llama.cpp does. */
export function hasItemsAsPrefix({ prefixItems, items }: JsonObject): boolean {
  return isSchema(prefixItems) && items === undefined;
}

function itemsAssertion(schema: JsonObject, node: SchemaNode, context: ExpansionContext): Assertion | null {
  const { constraints } = context;
  const { prefix, rest } = itemNodes(schema, node, context);
  if (prefix.length === 0 && rest === null) return null;
  const holds = () => [
    arrayShape(constraints, {
      prefix: prefix.map((each) => constraints.of(each)),
      rest: rest === null ? constraints.anything : constraints.of(rest),
      evaluated: { count: rest === null ? prefix.length : Number.POSITIVE_INFINITY, constraints: [] },
    }),
  ];
  return assertion(holds, () => {
    const wrong: Shape[] = prefix.map((each, at) =>
      arrayShape(constraints, {
        prefix: [...prefix.slice(0, at).map(() => constraints.anything), constraints.of(each, false)],
        min: at + 1,
      }),
    );
    return rest === null ? wrong : [...wrong, ...wrongRest(rest, prefix.length, node, context)];
  });
}

function wrongRest(
  rest: SchemaNode,
  start: number,
  node: SchemaNode,
  context: ExpansionContext,
): readonly Shape[] {
  const { constraints } = context;
  const constraint = constraints.of(rest, false);
  if (constraint === constraints.anything) return [arrayShape(constraints, { min: start + 1 })];
  if (constraint === constraints.nothing) return [];
  if (start === 0) return [arrayShape(constraints, { contains: [{ constraint, min: 1, max: null }] })];
  context.report(node, 'items', 'no grammar says its negation after a prefix', 'checked');
  return [arrayShape(constraints, { min: start + 1 })];
}

function containsAssertion(schema: JsonObject, node: SchemaNode, context: ExpansionContext): Assertion {
  const { constraints, document } = context;
  const min = countOf(schema.minContains) ?? 1;
  const max = countOf(schema.maxContains);
  const constraint = constraints.of(document.child(node, 'contains'));
  const evaluated = { count: 0, constraints: [constraint] };
  return assertion(
    () =>
      max !== null && max < min
        ? []
        : [arrayShape(constraints, { contains: [{ constraint, min, max }], evaluated })],
    () => [
      ...(min === 0 ? [] : [arrayShape(constraints, { contains: [{ constraint, min: 0, max: min - 1 }] })]),
      ...(max === null
        ? []
        : [arrayShape(constraints, { contains: [{ constraint, min: max + 1, max: null }] })]),
    ],
  );
}
