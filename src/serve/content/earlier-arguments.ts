/** The arguments of earlier calls. */
import { isExactObject, writeExactJson } from '../../format/exact-json.ts';
import { parseObject } from '../../format/json-values.ts';
import { closeArguments } from '../../parser/json/partial-json.ts';
import type { Notes } from './notes.ts';

/**
 * The JSON text of an object. A call that a limit cut stays in the client's history with broken arguments; what can be
 * read of them is passed on, and noted, because the conversation could not go on otherwise. Values that are neither an
 * object nor text are returned as they are, to be refused.
 */
export function earlierArguments(given: unknown, path: string, notes: Notes): unknown {
  if (isExactObject(given)) return writeExactJson(given);
  if (typeof given !== 'string' || given.trim() === '') return given;
  if (parseObject(given) !== null) return given;
  notes.ignore(path);
  return closeArguments(given);
}
