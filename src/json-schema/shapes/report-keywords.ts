/** Reports on the keywords of a sub-schema that need no context. */
import type { JsonObject } from '../../format/messages.ts';
import { isArray, type SchemaNode } from '../document/schema-document.ts';
import type { ExpansionContext } from './assertions.ts';
import { isAssertion, reportKinds } from './keyword-kinds.ts';
import { hasReference, isReference } from './references.ts';

/** Creates a function that reports on each node once. */
export function keywordReporter(
  context: Pick<ExpansionContext, 'report'>,
): (node: SchemaNode, schema: JsonObject) => void {
  const seen = new Set<number>();
  return (node, schema) => {
    if (seen.has(node.id)) return;
    seen.add(node.id);
    if (node.origin.refAlone && hasReference(schema)) {
      reportNewer(schema, Object.keys(schema).filter(isReference), node, context);
      reportSiblings(node, schema, context);
      return;
    }
    reportNewer(schema, Object.keys(schema), node, context);
    reportVocabularies(schema, node, context);
    reportNullable(schema, node, context);
    reportKinds(schema, node, context);
  };
}

/** Reports keywords next to a reference, which drafts up to 7 ignore, unlike some validators. */
function reportSiblings(
  node: SchemaNode,
  schema: JsonObject,
  context: Pick<ExpansionContext, 'report'>,
): void {
  for (const keyword of Object.keys(schema)) {
    if (isReference(keyword) || !isAssertion(keyword)) continue;
    const reason =
      'stands next to `$ref`, where the draft that the schema names ignores it; it is not enforced';
    context.report(node, keyword, reason, 'noted');
  }
}

/** The draft that introduced a keyword, numbered like `SchemaNode`'s `draft`. */
const since: ReadonlyMap<string, number> = new Map([
  ['const', 6],
  ['contains', 6],
  ['propertyNames', 6],
  ['if', 7],
  ['dependentRequired', 8],
  ['dependentSchemas', 8],
  ['minContains', 8],
  ['maxContains', 8],
  ['unevaluatedItems', 8],
  ['unevaluatedProperties', 8],
  ['$recursiveRef', 8],
  ['$dynamicRef', 9],
  ['prefixItems', 9],
]);

/** Keywords that were booleans before draft 6. */
const exclusive: ReadonlySet<string> = new Set(['exclusiveMinimum', 'exclusiveMaximum']);

/** Reports those of `keywords` that are enforced although the declared draft does not define them. */
function reportNewer(
  schema: JsonObject,
  keywords: readonly string[],
  node: SchemaNode,
  context: Pick<ExpansionContext, 'report'>,
): void {
  const { draft } = node.origin;
  if (draft === 0) return;
  for (const keyword of keywords) {
    const isNewForm = exclusive.has(keyword) && typeof schema[keyword] === 'number';
    if ((isNewForm ? 6 : (since.get(keyword) ?? 0)) <= draft) continue;
    context.report(
      node,
      keyword,
      `${isNewForm ? 'as a number ' : ''}is newer than the draft that the schema names; it is enforced`,
      'narrowed',
    );
  }
}

/** Reports unknown vocabularies that the meta-schema of `schema` requires. */
function reportVocabularies(
  schema: JsonObject,
  node: SchemaNode,
  context: Pick<ExpansionContext, 'report'>,
): void {
  if (!('$schema' in schema)) return;
  for (const uri of node.origin.dialect.unknown) {
    context.report(node, '$schema', `its dialect needs the vocabulary ${uri}, which is not known`);
  }
}

/** Reports an `enum` without null, which leaves `nullable` without effect. */
function reportNullable(
  schema: JsonObject,
  node: SchemaNode,
  context: Pick<ExpansionContext, 'report'>,
): void {
  const { nullable, enum: values, const: value } = schema;
  const listed = value === undefined ? values : [value];
  if (nullable === true && isArray(listed) && !listed.includes(null)) {
    context.report(
      node,
      'nullable',
      'null is not among the values that are listed, so it is not written',
      'narrowed',
    );
  }
}
