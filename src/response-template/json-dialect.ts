/** JSON in the dialects of models: bare keys, other quotes, and Python's `NaN` and `Infinity`. */

import type { JsonValue } from '../format/messages.ts';
import { wordMembers } from './pattern/read-class.ts';

/** How a model's JSON differs from JSON. */
export interface JsonDialect {
  /** `{a:1}`: a name between `{` or `,` and `:` is a key. */
  readonly unquotedKeys: boolean;
  /** `[["<|\"|>", "<|\"|>"]]`: pairs that quote strings without escapes. */
  readonly stringDelimiters: readonly (readonly [open: string, close: string])[];
}

/**
 * Parses `text` in the given dialect; `NaN` and the infinities are numbers, as in Python.
 *
 * @throws {SyntaxError}
 */
export function parseDialect(text: string, dialect: JsonDialect): JsonValue {
  const foreign = dialect.unquotedKeys || dialect.stringDelimiters.length > 0;
  const json = foreign ? toJson(text, dialect) : text;
  try {
    return JSON.parse(json);
  } catch (error) {
    const numbers = /NaN|Infinity/.test(json) ? withSpecialNumbers(json) : undefined;
    if (numbers === undefined) throw error;
    return numbers;
  }
}

const jsonString = /"(?:[^"\\]|\\.)*"?/suy;
const bareKey = new RegExp(`([{,])([${wordMembers}]+)(?=:)`, 'uy');

/** Rewrites a dialect as JSON, one pass from left to right. */
function toJson(text: string, dialect: JsonDialect): string {
  const delimiters = dialect.stringDelimiters.filter(([open, close]) => open !== '' && close !== '');
  const openers = [...new Set(delimiters.map(([open]) => open.charAt(0)))];
  const stops = new Set(['"', ...openers, ...(dialect.unquotedKeys ? ['{', ','] : [])]);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const [piece, end] = nextPiece(text, at, stops, delimiters, dialect.unquotedKeys);
    pieces.push(piece);
    at = end;
  }
  return pieces.join('');
}

/** The replacement of the text at `at`, and its end. */
function nextPiece(
  text: string,
  at: number,
  stops: ReadonlySet<string>,
  delimiters: JsonDialect['stringDelimiters'],
  unquotedKeys: boolean,
): readonly [piece: string, end: number] {
  const character = text.charAt(at);
  if (!stops.has(character)) return [character, at + 1];
  for (const [open, close] of delimiters) {
    if (!text.startsWith(open, at)) continue;
    const end = text.indexOf(close, at + open.length);
    if (end !== -1) return [JSON.stringify(text.slice(at + open.length, end)), end + close.length];
  }
  jsonString.lastIndex = at;
  if (character === '"' && jsonString.test(text))
    return [text.slice(at, jsonString.lastIndex), jsonString.lastIndex];
  bareKey.lastIndex = at;
  const key = unquotedKeys ? bareKey.exec(text) : null;
  if (key !== null) return [`${key[1]}"${key[2]}"`, bareKey.lastIndex];
  return [character, at + 1];
}

/** A string that is not closed goes on to the end: the text is no JSON, whatever it holds. */
const tokens = /"(?:[^"\\]|\\.)*"?|-?Infinity|NaN/gsu;

/** Parses JSON with Python's three extra numbers; `undefined` if the text is invalid for another reason. */
function withSpecialNumbers(json: string): JsonValue | undefined {
  let mark = 'nan';
  while (json.includes(mark)) mark += '-';
  const replaced = json.replace(tokens, (token) => {
    if (token.startsWith('"')) return token;
    return token === 'NaN' ? JSON.stringify(mark) : token.replace('Infinity', '1e999');
  });
  try {
    return JSON.parse(replaced, (_key, value: JsonValue) => (value === mark ? Number.NaN : value));
  } catch {
    return undefined;
  }
}
