/** Reports on the keywords of a sub-schema that need no context. */
import type { JsonObject } from '../../format/messages.ts';
import type { SchemaNode } from '../document/schema-document.ts';
import type { ExpansionContext } from './assertions.ts';
import { reportNewer, reportVocabularies } from './dialects.ts';
import { reportKinds } from './keyword-kinds.ts';
import { reportNullable } from './value-keywords.ts';

/** Creates a function that reports on each node once. */
export function keywordReporter(
  context: Pick<ExpansionContext, 'report'>,
): (node: SchemaNode, schema: JsonObject) => void {
  const seen = new Set<number>();
  return (node, schema) => {
    if (seen.has(node.id)) return;
    seen.add(node.id);
    reportNewer(schema, node, context);
    reportVocabularies(schema, node, context);
    reportNullable(schema, node, context);
    reportKinds(schema, node, context);
  };
}
