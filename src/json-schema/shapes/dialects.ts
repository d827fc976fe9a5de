/** Reports keywords that the schema's dialect does not define, and vocabularies that are unknown here. */
import type { JsonObject } from '../../format/messages.ts';
import type { SchemaNode } from '../document/schema-document.ts';
import type { ExpansionContext } from './assertions.ts';

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
  ['prefixItems', 9],
]);

/** Reports keywords that are enforced although the declared draft does not define them. */
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

/** Reports unknown vocabularies that the meta-schema of `schema` requires. */
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
