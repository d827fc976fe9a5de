/** `$ref`, `$dynamicRef` and `$recursiveRef`: where they lead. */
import type { JsonObject } from '../../../format/messages.ts';
import type { SchemaDocument, SchemaNode } from '../document/schema-document.ts';
import type { ExpansionContext } from './assertions.ts';

/** The keywords that lead to other sub-schemas. */
export const referenceKeywords = ['$ref', '$dynamicRef', '$recursiveRef'] as const;
type ReferenceKeyword = (typeof referenceKeywords)[number];

/** Whether `keyword` leads to another sub-schema. */
export function isReference(keyword: string): keyword is ReferenceKeyword {
  return referenceKeywords.some((each) => each === keyword);
}

/** The node that `keyword` of `node` means; `ambiguous` where there are too many ways to `node`. */
export function referenced(
  document: SchemaDocument,
  node: SchemaNode,
  keyword: ReferenceKeyword,
  reference: string,
): SchemaNode | null | 'ambiguous' {
  switch (keyword) {
    case '$ref':
      return document.resolve(node, reference);
    case '$dynamicRef':
      return document.resolveDynamic(node, reference);
    case '$recursiveRef':
      return document.resolveRecursive(node);
  }
}

/** Whether `schema` refers to another one. */
export function hasReference(schema: JsonObject): boolean {
  return '$ref' in schema || '$dynamicRef' in schema || '$recursiveRef' in schema;
}

/** The nodes that the references of `schema` lead to; says which lead nowhere, or to one of several. */
export function referencesOf(
  schema: JsonObject,
  node: SchemaNode,
  context: Pick<ExpansionContext, 'document' | 'report'>,
): readonly SchemaNode[] {
  if (!hasReference(schema)) return [];
  return referenceKeywords.flatMap((keyword) => {
    const reference = schema[keyword];
    if (typeof reference !== 'string') return [];
    const target = referenced(context.document, node, keyword, reference);
    if (target === 'ambiguous') {
      context.report(node, keyword, 'too many resources define its anchor; it is not enforced');
      return [];
    }
    if (target !== null) return [target];
    context.report(node, keyword, `nothing is found at ${JSON.stringify(reference)}; it is not enforced`);
    return [];
  });
}
