/** Whether a grammar allows nothing more than white space. */
import type { Matcher } from '../../../language/matcher/matcher.ts';

/** Whether the text may end here and only white space may follow. */
export function isFinished(matcher: Matcher): boolean {
  return matcher.complete && onlyBlanksFollow(matcher);
}

const knownBlank = new WeakMap<object, boolean>();

/** Whether every allowed continuation is white space; cached by position. */
function onlyBlanksFollow(matcher: Matcher): boolean {
  const known = knownBlank.get(matcher.state) ?? searchBlanks(matcher);
  knownBlank.set(matcher.state, known);
  return known;
}

/** Tests bytes instead of tokens: a vocabulary may have hundreds of tokens of white space. */
function searchBlanks(matcher: Matcher): boolean {
  const seen = new Set<object>();
  const places = [matcher];
  for (const place of places) {
    if (seen.has(place.state)) continue;
    seen.add(place.state);
    if (visibleBytes.some((byte) => place.allows(byte))) return false;
    for (const blank of blanks) {
      const next = place.clone();
      if (next.accept(blank)) places.push(next);
    }
  }
  return true;
}

const blanks = [' ', '\t', '\n', '\r'];

/** Every byte that is not white space, each as a separate text. */
const visibleBytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)).filter(
  ([byte = 0]) => !blanks.includes(String.fromCharCode(byte)),
);
