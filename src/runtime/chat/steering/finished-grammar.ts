/** Where a grammar allows nothing more that would say anything. */
import type { Matcher } from '../../../grammar/matcher/matcher.ts';

/** The text may end here, and nothing may follow but white space. */
export function isFinished(matcher: Matcher): boolean {
  return matcher.complete && onlyBlanksFollow(matcher);
}

const barren = new WeakMap<object, boolean>();

/** No allowed text holds anything but white space; remembered by the place. */
function onlyBlanksFollow(matcher: Matcher): boolean {
  const known = barren.get(matcher.state) ?? searchBlanks(matcher);
  barren.set(matcher.state, known);
  return known;
}

/** Asks for bytes rather than tokens: a vocabulary may have hundreds of tokens of white space. */
function searchBlanks(matcher: Matcher): boolean {
  const seen = new Set<object>();
  const places = [matcher];
  for (const place of places) {
    if (seen.has(place.state)) continue;
    seen.add(place.state);
    if (inkBytes.some((byte) => place.allows(byte))) return false;
    for (const blank of blanks) {
      const next = place.clone();
      if (next.accept(blank)) places.push(next);
    }
  }
  return true;
}

const blanks = [' ', '\t', '\n', '\r'];

/** Every byte that is not white space, each by itself. */
const inkBytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte)).filter(
  ([byte = 0]) => !blanks.includes(String.fromCharCode(byte)),
);
