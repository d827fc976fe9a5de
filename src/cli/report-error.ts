/** Formats an error that ends a command. */

import type { Command } from 'commander';
import pc from 'picocolors';
import { aboutFile, overflow } from '../format/error-class.ts';
import {
  ContextOverflowError,
  IdiolectError,
  TemplateError,
  UnsupportedOptionError,
} from '../format/errors.ts';
import { neighbourOf } from './option-neighbours.ts';
import { terminalText } from './terminal-text.ts';

/**
 * Expected errors, and those of the disk, are one line for people, and for programs one JSON object with code, message
 * and facts: `{"error": {"code": "template", "message": …, "template": …, "line": 3}}`. Any other error is a defect:
 * its code is `internal`, and its stack is shown.
 */
export function reportError(error: unknown, json: boolean, flags: Flags = new Map()): string {
  if (isExpected(error)) {
    const message = inFlags(error, flags);
    return json
      ? reportJson({ ...errorFacts(error), message })
      : `${pc.red('error')} ${terminalText(message)}\n${excerpt(error)}`;
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return json
    ? reportJson({ code: 'internal', message, stack })
    : `${pc.red('internal error')} ${terminalText(stack ?? message)}\n`;
}

/** The line of a template at fault, and a caret under the place, cut to a line of the terminal. */
function excerpt(error: unknown): string {
  if (!(error instanceof TemplateError) || error.sourceLine === undefined) return '';
  const { sourceLine, column = 1 + sourceLine.search(/\S|$/) } = error;
  const from = Math.max(0, column - 1 - excerptWidth / 2);
  const shown = sourceLine.slice(from, from + excerptWidth).replace(/\s/g, ' ');
  const caret = ' '.repeat(Math.max(0, column - 1 - from));
  return `  ${pc.dim(terminalText(shown.trimEnd()))}\n  ${caret}${pc.red('^')}\n`;
}

const excerptWidth = 70;

/** The flags of a command by the options of the library that they set: `--context-size` by `contextSize`. */
type Flags = ReadonlyMap<string, string>;

/** The flags of commands, as far as they are loaded. */
export function flagsOf(commands: readonly Command[]): Flags {
  const options = commands.flatMap((command) => command.options);
  return new Map(options.map((option) => [option.attributeName(), option.long ?? option.flags]));
}

/**
 * The message with flags in place of options of the library: of an option at fault, and where a message names both, as
 * in `requireTools: false (--no-require-tools)`.
 */
function inFlags(error: IdiolectError | NodeJS.ErrnoException, flags: Flags): string {
  if (isSystemError(error)) return systemMessage(error);
  if (error instanceof ContextOverflowError) return `${overflow(error)}; ${moreRoom}`;
  const message = error.message.replace(/\b[a-z]+[A-Z]\w*(?:: \S+)? \((--[a-z-]+(?: [a-z-]+)?)\)/g, '$1');
  if (!(error instanceof UnsupportedOptionError)) return message;
  const flag = flags.get(error.option);
  return flag === undefined ? message : message.replace(error.option, () => flag);
}

const moreRoom =
  'begin a new conversation (/new), or give it more (--context-size; a model on a server has what that was started with)';

/** Whether an error's message describes what happened, as ours and the operating system's do. */
export function isExpected(error: unknown): error is IdiolectError | NodeJS.ErrnoException {
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

/** What the commonest errors of the operating system mean, with the path; for others, its own message. */
function systemMessage(error: NodeJS.ErrnoException): string {
  const { code = '', path, message } = error;
  const meaning = systemErrors.get(code);
  if (code === 'EADDRINUSE' && 'port' in error) return `port ${error.port} ${meaning}`;
  // Of two paths, either may be meant.
  return meaning === undefined || path === undefined || 'dest' in error ? message : aboutFile(path, meaning);
}

const systemErrors: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file or folder'],
  ['EISDIR', 'is a folder; give a file'],
  ['ENOTDIR', 'this path or a part of it is a file, where a folder is expected'],
  ['EACCES', 'this user has no right to it'],
  ['EPERM', 'this user has no right to it'],
  ['EROFS', 'lies where nothing can be written'],
  ['EADDRINUSE', 'is in use; give another with --port, or 0 for any that is free'],
]);

/** An error of the operating system, such as a full disk, whose message says what and where. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'errno' in error;
}
