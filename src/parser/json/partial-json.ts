/** Arguments parsed while they are being written, for user interfaces. */
import { parseJson, parseObject } from '../../format/json-values.ts';
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import { requireOption, string } from '../../format/option-rules.ts';
import { stringEnd } from './json-text.ts';

/**
 * The object that `json`, the beginning of an object's JSON text, has so far: open strings end where the text
 * ends, open containers are closed, and an incomplete key, number or word is omitted. `json` is the joined deltas
 * of one call. Text that does not begin an object gives an empty object. Throws `UnsupportedOptionError` if it is
 * not a string.
 */
export function partialArguments(json: string): JsonObject {
  requireOption('json', json, string);
  return parseObject(closeArguments(json)) ?? {};
}

/**
 * The same for a JSON text of any type: what it has so far. `undefined` as long as there is nothing, and for a number or
 * a word, which may go on.
 */
export function partialValue(json: string): JsonValue | undefined {
  return parseJson(closeText(json) ?? '');
}

/** The JSON text of that object, in which values are as they were written: it may be nested to any depth. */
export function closeArguments(json: string): string {
  const closed = closeText(json);
  return closed === null || parseObject(closed) === null ? '{}' : closed;
}

function closeText(json: string): string | null {
  const closers: string[] = [];
  // After the opener or the last complete value of the innermost container, which `closers` close.
  let safe = -1;
  let at = 0;
  let keyNext = false;
  while (at < json.length) {
    const character = json.charAt(at);
    if (character === '"') {
      const end = stringEnd(json, at);
      if (end === -1) return keyNext ? closeAt(safe, json, closers) : closeString(json, closers);
      at = end;
      if (!keyNext) safe = at;
      continue;
    }
    at++;
    if (character === '{' || character === '[') {
      closers.push(character === '{' ? '}' : ']');
      keyNext = character === '{';
      safe = at;
    } else if (character === '}' || character === ']') {
      closers.pop();
      safe = at;
    } else if (character === ',') {
      safe = at - 1;
      keyNext = closers.at(-1) === '}';
    } else if (character === ':') {
      keyNext = false;
    }
  }
  return closeAt(safe, json, closers);
}

function closeAt(end: number, json: string, closers: readonly string[]): string | null {
  return end < 0 ? null : json.slice(0, end) + [...closers].reverse().join('');
}

/** Closes a string at the end of the text; an incomplete escape is omitted. */
function closeString(json: string, closers: readonly string[]): string {
  const half = /\\(?:u[0-9a-fA-F]{0,3})?$/.exec(json);
  const text = half === null || isEscaped(json, half.index) ? json : json.slice(0, half.index);
  return `${text}"${[...closers].reverse().join('')}`;
}

/** Whether the backslash at `at` is itself escaped. */
function isEscaped(json: string, at: number): boolean {
  let start = at;
  while (json[start - 1] === '\\') start--;
  return (at - start) % 2 === 1;
}
