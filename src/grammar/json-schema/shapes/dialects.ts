/** What a schema's dialect does not say of its keywords, or says and cannot be followed. */
import type { JsonObject } from '../../../format/messages.ts';
import type { SchemaNode } from '../document/schema-document.ts';
import type { ExpansionContext } from './assertions.ts';

/** The draft that brought a keyword, in the numbers of `SchemaNode`. */
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
  ['prefixItems', 9],
]);

/** Says which keywords are enforced although the draft, taken by its word, does not know them. */
export function reportNewer(
  schema: JsonObject,
  node: SchemaNode,
  context: Pick<ExpansionContext, 'report'>,
): void {
  const { draft } = node.origin;
  if (draft === 0) return;
  for (const keyword of Object.keys(schema)) {
    if ((since.get(keyword) ?? 0) <= draft) continue;
    context.report(
      node,
      keyword,
      'is newer than the draft that the schema names; it is enforced',
      'narrowed',
    );
  }
}

/** Says which vocabularies the meta-schema of `schema` insists on that are not known here. */
export function reportVocabularies(
  schema: JsonObject,
  node: SchemaNode,
  context: Pick<ExpansionContext, 'report'>,
): void {
  if (!('$schema' in schema)) return;
  for (const uri of node.origin.dialect.unknown) {
    context.report(node, '$schema', `its dialect needs the vocabulary ${uri}, which is not known`);
  }
}
