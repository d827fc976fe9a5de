/** White space around markers: blanks, tabs and line ends. */

/** Maximum white space (in units) inside a marker, and around the markers and keys of a call. */
export const maxGap = 64;
/** Maximum white space between regions, and before a value; more of it is text. */
export const maxPause = 256;

/** Whether a UTF-16 unit is a blank, a tab, a line feed or a carriage return. */
export function isSpace(unit: number): boolean {
  return unit === 32 || unit === 10 || unit === 13 || unit === 9;
}

/** Position of the first unit at or after `from` that is not white space; `text.length` if there is none. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isSpace(text.charCodeAt(at))) at++;
  return at;
}

/**
 * Length of the white space before `end` that belongs to a marker with the leading white space `lead`: their
 * longest common suffix, where a line feed may have a carriage return before it.
 */
export function leadingSpaceLength(text: string, from: number, end: number, lead: string): number {
  let at = end;
  for (let index = lead.length - 1; index >= 0 && at > from; index--) {
    if (text.charCodeAt(at - 1) !== lead.charCodeAt(index)) break;
    at--;
    if (lead[index] === '\n' && at > from && text[at - 1] === '\r') at--;
  }
  return end - at;
}
