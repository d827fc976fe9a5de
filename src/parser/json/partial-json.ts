/** Arguments parsed while they are being written, for user interfaces. */
import { parseObject } from '../../format/json-values.ts';
import type { JsonObject } from '../../format/messages.ts';
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
  const closed = closeText(json);
  return (closed === null ? null : parseObject(closed)) ?? {};
}

/** The text up to the last complete value, and the brackets that close it. */
interface Outline {
  readonly end: number;
  readonly closers: string;
}

function closeText(json: string): string | null {
  const closers: string[] = [];
  // After the opener or the last complete value of the innermost container.
  let safe: Outline | null = null;
  let at = 0;
  let keyNext = false;
  const keep = (end: number) => {
    safe = { end, closers: [...closers].reverse().join('') };
  };
  while (at < json.length) {
    const character = json.charAt(at);
    if (character === '"') {
      const end = stringEnd(json, at);
      if (end === -1) return keyNext ? finish(json, safe) : closeString(json, closers);
      at = end;
      if (!keyNext) keep(at);
      continue;
    }
    at++;
    if (character === '{' || character === '[') {
      closers.push(character === '{' ? '}' : ']');
      keyNext = character === '{';
      keep(at);
    } else if (character === '}' || character === ']') {
      closers.pop();
      keep(at);
    } else if (character === ',') {
      keep(at - 1);
      keyNext = closers.at(-1) === '}';
    } else if (character === ':') {
      keyNext = false;
    }
  }
  return finish(json, safe);
}

function finish(json: string, safe: Outline | null): string | null {
  return safe === null ? null : json.slice(0, safe.end) + safe.closers;
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
