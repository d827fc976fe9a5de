/** How an error that ends a command is shown. */
import pc from 'picocolors';
import { IdiolectError } from '../errors.ts';

/**
 * Errors that we foresaw are one line for a person, and for a program one JSON object with code, message and
 * facts: `{"error": {"code": "template", "message": …, "template": …, "line": 3}}`. Anything else is a defect
 * and shows its stack.
 */
export function reportError(error: unknown, json: boolean): string {
  if (!(error instanceof IdiolectError)) {
    return `${pc.red('internal error')} ${error instanceof Error ? error.stack : error}\n`;
  }
  if (!json) return `${pc.red('error')} ${error.message}\n`;
  const { name: _name, cause: _cause, stack: _stack, message, code, ...facts } = error;
  return `${JSON.stringify({ error: { code, message, ...facts } })}\n`;
}
