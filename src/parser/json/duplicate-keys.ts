/** Keys that occur more than once in an object of a JSON text; a JSON parser keeps only the last value. */
import { stringEnd } from './json-text.ts';

/** The structural characters of JSON. */
const opens = 123; // {
const opensList = 91; // [
const closes = 125; // }
const closesList = 93; // ]
const quote = 34;
const colon = 58;
/** Outside strings, only white space has units up to this one. */
const blank = 32;

/** The keys that occur more than once in some object of valid JSON; each once, in order. */
export function duplicateKeys(json: string): readonly string[] {
  const found = new Set<string>();
  /** The keys of the open containers, outermost first; `null` for an array. */
  const open: (Set<string> | null)[] = [];
  for (let at = 0; at < json.length; at++) {
    const unit = json.charCodeAt(at);
    if (unit === opens) open.push(new Set());
    else if (unit === opensList) open.push(null);
    else if (unit === closes || unit === closesList) open.pop();
    if (unit !== quote) continue;
    const end = stringEnd(json, at);
    const keys = open.at(-1);
    if (keys && isKey(json, end)) {
      const key = textOf(json, at, end);
      if (keys.has(key)) found.add(key);
      keys.add(key);
    }
    at = end - 1;
  }
  return [...found];
}

/** The decoded string from `start` to `end`. Most keys have no escapes, so a slice is enough. */
function textOf(json: string, start: number, end: number): string {
  const text = json.slice(start + 1, end - 1);
  return text.includes('\\') ? JSON.parse(json.slice(start, end)) : text;
}

/** Whether the string that ends at `end` is a key, that is, a colon follows. */
function isKey(json: string, end: number): boolean {
  let at = end;
  while (json.charCodeAt(at) <= blank) at++;
  return json.charCodeAt(at) === colon;
}
