/** Finds JSON inside other text, and infers its style. */
import type { JsonStyle } from '../../format/chat-format.ts';
import { parseJson } from '../../format/json-values.ts';
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import { writeJson, writeJsonString } from '../../format/write-values.ts';
import { stringEnd } from '../../parser/json/json-text.ts';

/** A JSON value in a text. */
export interface FoundJson {
  readonly value: JsonValue;
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** The object, array or string that begins at `start`; `null` if there is none. */
export function scanJson(text: string, start: number): FoundJson | null {
  const end = text[start] === '"' ? stringEnd(text, start) : bracketEnd(text, start);
  const value = end === -1 ? undefined : parseJson(text.slice(start, end));
  return value === undefined ? null : { value, start, end };
}

function bracketEnd(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at++) {
    const unit = text[at];
    if (unit === '"') {
      const end = stringEnd(text, at);
      if (end === -1) return -1;
      at = end - 1;
    } else if (unit === '{' || unit === '[') depth += 1;
    else if (unit === '}' || unit === ']') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return -1;
}

/** More brackets than this do not occur in chat formats; trying JSON at each would take quadratic time. */
const maxPositions = 400;

/** The first positions of a character from `from` up to `to`. */
export function positionsOf(text: string, character: string, from: number, to: number): readonly number[] {
  const found: number[] = [];
  for (
    let at = text.indexOf(character, from);
    at >= 0 && at < to && found.length < maxPositions;
    at = text.indexOf(character, at + 1)
  ) {
    found.push(at);
  }
  return found;
}

/** Whether two JSON values are equal; the order of keys does not matter. */
export function sameJson(a: JsonValue, b: JsonValue): boolean {
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const left = a as JsonObject;
  const right = b as JsonObject;
  const keys = Object.keys(left);
  return (
    keys.length === Object.keys(right).length &&
    keys.every((key) => {
      const own = left[key];
      const other = right[key];
      return own !== undefined && other !== undefined && sameJson(own, other);
    })
  );
}

const separators = [
  { itemSeparator: ', ', keySeparator: ': ', indents: [null] },
  { itemSeparator: ',', keySeparator: ':', indents: [null] },
  { itemSeparator: ',', keySeparator: ': ', indents: [null, 2, 4, 1, 3, 8] },
  { itemSeparator: ', ', keySeparator: ':', indents: [null] },
] as const;

/** The style of Python and of most templates. */
export const spacedStyle: JsonStyle = {
  itemSeparator: ', ',
  keySeparator: ': ',
  indent: null,
  ascii: false,
  sortKeys: false,
};

/**
 * The styles to try, the usual ones first. A value on several lines is indented by `margin`, that of its first line,
 * or not at all, because `tojson` does not know its position.
 */
function candidateStyles(margin: number): readonly JsonStyle[] {
  return separators.flatMap(({ itemSeparator, keySeparator, indents }) =>
    indents.flatMap((indent) =>
      [false, true].flatMap((sortKeys) =>
        [false, true].flatMap((ascii) => {
          const style = { itemSeparator, keySeparator, indent, ascii, sortKeys };
          return indent === null || margin === 0 ? [style] : [{ ...style, margin }, style];
        }),
      ),
    ),
  );
}

/**
 * Python's literals as JSON of the same length. Strings with quotes or backslashes become garbage, so this is only for
 * renders of plain values.
 */
export function pythonAsJson(text: string): string {
  return text
    .replaceAll("'", '"')
    .replace(/\bTrue\b/g, 'true')
    .replace(/\bFalse\b/g, 'false')
    .replace(/\bNone\b/g, 'null');
}

/** The style in which `text` writes `value`, which begins at `start`, and where it ends. */
export function matchStyle(
  text: string,
  start: number,
  value: JsonValue,
  encoding: 'value' | 'string' = 'value',
): { readonly style: JsonStyle; readonly end: number } | null {
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1);
  const margin = line.length - line.trimStart().length;
  for (const style of candidateStyles(margin)) {
    const json = writeJson(value, style);
    const written = encoding === 'string' ? writeJsonString(json, style.ascii) : json;
    if (text.startsWith(written, start)) return { style, end: start + written.length };
  }
  return null;
}
