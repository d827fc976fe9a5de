/** Spells tool names as formats write them. */
import { ToolError } from '../format/errors.ts';
import type { CallsRegion } from '../layout/calls-region.ts';

/** `name` as written in the format: escaped if the call is JSON. */
export function spellName(name: string, calls: CallsRegion): string {
  return calls.envelope === null ? name : JSON.stringify(name).slice(1, -1);
}

/**
 * Throws `ToolError` for a name that a parser could not read back: empty, padded, with control characters, or
 * containing the text that ends a name.
 */
export function checkToolName(name: string, calls: CallsRegion): void {
  const reason = unwritableBecause(name, calls);
  if (reason !== null)
    throw new ToolError({ tool: name, reason: `this format cannot write the name: ${reason}` });
}

function unwritableBecause(name: string, calls: CallsRegion): string | null {
  if (name === '') return 'it is empty';
  if (name.trim() !== name) return 'it begins or ends with white space';
  if (/\p{Cc}/u.test(name)) return 'it holds a control character';
  if (/\p{Cs}/u.test(name)) return 'it holds half a surrogate pair';
  if (calls.envelope !== null) return null;
  if (/\s/.test(name)) return 'it holds white space';
  const { text: after, core: terminator } = calls.afterName;
  if (terminator === '') {
    const begin = calls.argumentsOpen.core;
    return begin !== '' && name.includes(begin) ? `it holds ${begin}, with which arguments begin` : null;
  }
  if (/^\s+\w/.test(after)) return null;
  if (name.includes(terminator)) return `it holds ${JSON.stringify(terminator)}, which ends a name`;
  const [first] = terminator;
  if (first !== undefined && name.includes(first))
    return `it holds ${JSON.stringify(first)}, with which the text after a name begins`;
  return null;
}
