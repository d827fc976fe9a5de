/** How an error that ends a command is shown. */
import pc from 'picocolors';
import { IdiolectError } from '../format/errors.ts';
import { terminalText } from './terminal-text.ts';

/**
 * Errors that we foresaw, and those of the disk, are one line for a person, and for a program one JSON object
 * with code, message and facts: `{"error": {"code": "template", "message": …, "template": …, "line": 3}}`.
 * Anything else is a defect, has the code `internal` and shows its stack.
 */
export function reportError(error: unknown, json: boolean): string {
  if (isForeseen(error)) {
    return json ? reportJson(errorFacts(error)) : `${pc.red('error')} ${terminalText(error.message)}\n`;
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return json
    ? reportJson({ code: 'internal', message, stack })
    : `${pc.red('internal error')} ${terminalText(stack ?? message)}\n`;
}

/** Whether an error says in its message what happened: ours do, and those of the operating system. */
export function isForeseen(error: unknown): error is IdiolectError | NodeJS.ErrnoException {
  return error instanceof IdiolectError || isSystemError(error);
}

/** Code, message and facts of an error, for JSON. */
export function errorFacts(error: IdiolectError | NodeJS.ErrnoException): ErrorFacts {
  const { name: _name, cause: _cause, stack: _stack, message, code, ...facts } = error;
  return { code, message, ...facts };
}

/** An error for a program to read. */
export interface ErrorFacts {
  readonly code: string | undefined;
  readonly message: string;
  readonly [fact: string]: unknown;
}

/** How commander's complaint about a command line is shown; its usage follows for a person. */
export function reportUsage(complaint: string, json: boolean): string {
  return json ? reportJson({ code: 'usage', message: complaint.replace(/^error: /, '').trim() }) : complaint;
}

function reportJson(error: ErrorFacts): string {
  return `${JSON.stringify({ error })}\n`;
}

/** An answer of the operating system, such as a full disk: it says what and where in its own words. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'errno' in error;
}
