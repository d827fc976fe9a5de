/** Formats an error that ends a command. */
import pc from 'picocolors';
import { IdiolectError } from '../format/errors.ts';
import { neighbourOf } from './option-neighbours.ts';
import { terminalText } from './terminal-text.ts';

/**
 * Expected errors, and those of the disk, are one line for people, and for programs one JSON object with code, message
 * and facts: `{"error": {"code": "template", "message": …, "template": …, "line": 3}}`. Any other error is a defect:
 * its code is `internal`, and its stack is shown.
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

/** Whether an error's message describes what happened, as ours and the operating system's do. */
export function isForeseen(error: unknown): error is IdiolectError | NodeJS.ErrnoException {
  return error instanceof IdiolectError || isSystemError(error);
}

/** Code, message and facts of an error, for JSON. */
export function errorFacts(error: IdiolectError | NodeJS.ErrnoException): ErrorFacts {
  const { name: _name, cause: _cause, stack: _stack, message, code, ...facts } = error;
  return { code, message, ...facts };
}

/** An error for programs. */
export interface ErrorFacts {
  readonly code: string | undefined;
  readonly message: string;
  readonly [fact: string]: unknown;
}

/** Formats commander's error about a command line; for people, the usage follows. */
export function reportUsage(given: string, json: boolean): string {
  const complaint = withNeighbour(given);
  return json ? reportJson({ code: 'usage', message: complaint.replace(/^error: /, '').trim() }) : complaint;
}

/** For an option of another program, the one here, in place of those that are spelled similarly. */
function withNeighbour(complaint: string): string {
  const [line = '', option = ''] = /^.*unknown option '([^']*)'.*$/m.exec(complaint) ?? [];
  const advice = neighbourOf(option);
  if (advice === null) return complaint;
  const plain = complaint.replace(/\n\(Did you mean .*\?\)/, '');
  return plain.replace(line, `${line}\n(${advice})`);
}

function reportJson(error: ErrorFacts): string {
  return `${JSON.stringify({ error })}\n`;
}

/** An error of the operating system, such as a full disk, whose message says what and where. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'errno' in error;
}
