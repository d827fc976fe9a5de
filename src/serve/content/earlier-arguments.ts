/** The arguments of earlier calls. */
import { isExactObject, writeExactJson } from '../../format/exact-json.ts';
import { parseObject } from '../../format/json-values.ts';
import { stringEnd } from '../../parser/json/json-text.ts';
import { closeArguments } from '../../parser/json/partial-json.ts';
import { maxDepth } from '../body/parse-in-steps.ts';
import { invalid } from '../errors.ts';
import type { Notes } from './notes.ts';

/**
 * The JSON text of an object. A call that a limit cut stays in the client's history with broken arguments; what can be
 * read of them is passed on, and noted, because the conversation could not go on otherwise. Values that are neither an
 * object nor text are returned as they are, to be refused. Throws `RequestError` for a text that is nested deeper than a
 * request may be.
 */
export function earlierArguments(given: unknown, path: string, notes: Notes): unknown {
  if (isExactObject(given)) return writeExactJson(given);
  if (typeof given !== 'string' || given.trim() === '') return given;
  requireShallow(given, path);
  if (parseObject(given) !== null) return given;
  notes.ignore(path);
  return closeArguments(given);
}

/** To parse a text that is nested half a million times takes a fifth of a second, at once. */
function requireShallow(json: string, path: string): void {
  let depth = 0;
  for (let at = 0; at < json.length; at += 1) {
    const character = json.charAt(at);
    if (character === '"') {
      const end = stringEnd(json, at);
      if (end === -1) return;
      at = end - 1;
    } else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth > maxDepth) throw invalid(path, `${path} is nested more than ${maxDepth} levels deep`);
  }
}
