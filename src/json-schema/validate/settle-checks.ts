/** Decides which keywords that a grammar does not enforce are checked afterwards, and which not at all. */
import type { SchemaIssue } from '../../format/errors.ts';
import { SchemaError } from '../../format/errors.ts';
import type { JsonSchema } from '../../format/messages.ts';
import { isTooLarge, tooLarge } from './schema-size.ts';
import { compileValidator, type ValidationOptions } from './validate.ts';

/** Turns `checked` into `widened` if nothing can check `schema`: it is too large, or not to be understood. */
export function settleChecks(
  schema: JsonSchema,
  issues: readonly SchemaIssue[],
  { tool, ...options }: ValidationOptions & { readonly tool: string },
): readonly SchemaIssue[] {
  if (!issues.some(({ effect }) => effect === 'checked')) return issues;
  const obstacle = obstacleOf(schema, tool, options);
  return issues.map((issue) => {
    if (issue.effect !== 'checked') return issue;
    if (obstacle === null) return { ...issue, reason: `${issue.reason}; it is checked` };
    return { ...issue, effect: 'widened', reason: `${issue.reason}; it is not enforced, and ${obstacle}` };
  });
}

/** Why nothing can check `schema`; `null` if something can. */
function obstacleOf(schema: JsonSchema, tool: string, options: ValidationOptions): string | null {
  if (isTooLarge(schema)) return tooLarge;
  try {
    compileValidator(schema, tool, options);
    return null;
  } catch (error) {
    if (error instanceof SchemaError) return error.issues[0]?.reason ?? error.message;
    throw error;
  }
}
