/** Resolves `$ref`, `$dynamicRef` and `$recursiveRef`. */
import type { JsonObject } from '../../format/messages.ts';
import type { SchemaDocument, SchemaNode } from '../document/schema-document.ts';
import type { ExpansionContext } from './assertions.ts';

/** Keywords that refer to other sub-schemas. */
export const referenceKeywords = ['$ref', '$dynamicRef', '$recursiveRef'] as const;
type ReferenceKeyword = (typeof referenceKeywords)[number];

/** Whether `keyword` refers to another sub-schema. */
export function isReference(keyword: string): keyword is ReferenceKeyword {
  return referenceKeywords.some((each) => each === keyword);
}

/** The target of `keyword` in `node`; `ambiguous` if there are too many paths to `node`. */
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

/** Whether `schema` contains a reference. */
export function hasReference(schema: JsonObject): boolean {
  return '$ref' in schema || '$dynamicRef' in schema || '$recursiveRef' in schema;
}

/** The targets of all references in `schema`; reports those without a target or with several. */
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
