/** The tools of a request, as parts of a grammar. */
import type { SchemaIssue } from '../format/errors.ts';
import type { Expression } from '../language/expression/expression.ts';

/** One tool in the grammar: its spelled name and the expression of its arguments. */
export interface OfferedTool {
  readonly name: Expression;
  readonly arguments: Expression;
}

/** Tools for a grammar, and every schema keyword that is not enforced exactly. */
export interface OfferedTools {
  readonly tools: readonly OfferedTool[];
  readonly issues: readonly SchemaIssue[];
}
