/**
 * Text search in linear time. The engine's own search is faster for short patterns, but for a long one that nearly
 * matches everywhere it compares all characters at every position.
 */

/** Patterns of up to this length are searched for by the engine, longer ones here. */
const shortPattern = 32;

/** The positions of the non-empty `pattern`, from left to right and without overlap. */
export function* findAll(text: string, pattern: string): Generator<number> {
  if (pattern.length > shortPattern) {
    yield* searchAll(text, pattern, false);
    return;
  }
  for (let at = text.indexOf(pattern); at >= 0; at = text.indexOf(pattern, at + pattern.length)) yield at;
}

/** The first position of `pattern`, or -1. */
export function findFirst(text: string, pattern: string): number {
  if (pattern.length <= shortPattern) return text.indexOf(pattern);
  return searchAll(text, pattern, false).next().value ?? -1;
}

/** The last position of `pattern`, or -1. */
export function findLast(text: string, pattern: string): number {
  if (pattern.length <= shortPattern) return text.lastIndexOf(pattern);
  let last = -1;
  for (const at of searchAll(text, pattern, true)) last = at;
  return last;
}

/** The pieces between the occurrences of the non-empty `separator`. */
export function splitAll(text: string, separator: string): string[] {
  if (separator.length <= shortPattern) return text.split(separator);
  const pieces: string[] = [];
  let done = 0;
  for (const place of searchAll(text, separator, false)) {
    pieces.push(text.slice(done, place));
    done = place + separator.length;
  }
  pieces.push(text.slice(done));
  return pieces;
}

/** Knuth, Morris and Pratt: after a mismatch no character of the text is read again. */
function* searchAll(text: string, pattern: string, overlapping: boolean): Generator<number, undefined> {
  if (pattern.length > text.length) return;
  const borders = bordersOf(pattern);
  let matched = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    while (matched > 0 && pattern.charCodeAt(matched) !== unit) matched = borders[matched - 1] ?? 0;
    if (pattern.charCodeAt(matched) === unit) matched += 1;
    if (matched < pattern.length) continue;
    yield at + 1 - pattern.length;
    matched = overlapping ? (borders[matched - 1] ?? 0) : 0;
  }
}

/** For each prefix of the pattern, the length of the longest proper prefix that is also its suffix. */
function bordersOf(pattern: string): Uint32Array {
  const borders = new Uint32Array(pattern.length);
  let length = 0;
  for (let at = 1; at < pattern.length; at += 1) {
    const unit = pattern.charCodeAt(at);
    while (length > 0 && pattern.charCodeAt(length) !== unit) length = borders[length - 1] ?? 0;
    if (pattern.charCodeAt(length) === unit) length += 1;
    borders[at] = length;
  }
  return borders;
}
