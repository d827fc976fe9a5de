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
  return parseObject(partialObjectText(json)) ?? {};
}

/** The JSON text of what `partialArguments` returns, as far as possible in the text's own spelling. */
export function partialObjectText(json: string): string {
  const closed = closeText(json);
  return closed !== null && parseObject(closed) !== null ? closed : '{}';
}

/** What closes an open container, and those around it. */
interface Open {
  readonly closer: '}' | ']';
  readonly outer: Open | null;
}

/** The text up to the last complete value, and the containers that are open there. */
interface Outline {
  readonly end: number;
  readonly open: Open | null;
}

function closeText(json: string): string | null {
  let open = null as Open | null;
  // After the opener or the last complete value of the innermost container.
  let safe: Outline | null = null;
  let at = 0;
  let keyNext = false;
  while (at < json.length) {
    const character = json.charAt(at);
    if (character === '"') {
      const end = stringEnd(json, at);
      if (end === -1) return keyNext ? finish(json, safe) : closeString(json, open);
      at = end;
      if (!keyNext) safe = { end, open };
      continue;
    }
    at++;
    if (character === '{' || character === '[') {
      keyNext = character === '{';
      open = { closer: keyNext ? '}' : ']', outer: open };
      safe = { end: at, open };
    } else if (character === '}' || character === ']') {
      open = open?.outer ?? null;
      safe = { end: at, open };
    } else if (character === ',') {
      safe = { end: at - 1, open };
      keyNext = open?.closer === '}';
    } else if (character === ':') {
      keyNext = false;
    }
  }
  return finish(json, safe);
}

function finish(json: string, safe: Outline | null): string | null {
  return safe === null ? null : json.slice(0, safe.end) + closersOf(safe.open);
}

function closersOf(open: Open | null): string {
  const closers: string[] = [];
  for (let each = open; each !== null; each = each.outer) closers.push(each.closer);
  return closers.join('');
}

/** Closes a string at the end of the text; an incomplete escape is omitted. */
function closeString(json: string, open: Open | null): string {
  const half = /\\(?:u[0-9a-fA-F]{0,3})?$/.exec(json);
  const text = half === null || isEscaped(json, half.index) ? json : json.slice(0, half.index);
  return `${text}"${closersOf(open)}`;
}

/** Whether the backslash at `at` is itself escaped. */
function isEscaped(json: string, at: number): boolean {
  let start = at;
  while (json[start - 1] === '\\') start--;
  return (at - start) % 2 === 1;
}
