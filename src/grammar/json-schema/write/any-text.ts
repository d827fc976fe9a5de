/** Raw text of any kind, up to the marker that ends it. */
import {
  type CodePointRange,
  characterClass,
  choice,
  type Expression,
  exceptCharacters,
  literal,
  repeat,
  sequence,
  until,
} from '../../expression/expression.ts';

/**
 * Any text, then `end`. White space around the marker in `end` is its own, and the marker may not come
 * without it either. A marker of one character is a quote: text may hold it where it cannot be taken for
 * the end, that is, where none of `followers` can begin after it.
 */
export function anyTextUpTo(end: string, followers: readonly string[]): Expression {
  const marker = end.trim() === '' ? end : end.trim();
  if (marker === end && Array.from(end).length === 1) return quotedText(end, followers);
  const afterMarker = end.indexOf(marker) + marker.length;
  const delimiter = end.slice(0, afterMarker);
  const branch = { delimiter, next: literal(end.slice(afterMarker)) };
  return delimiter === marker ? until(branch) : until(branch, { delimiter: marker, next: null });
}

const blanks: readonly CodePointRange[] = [
  [0x09, 0x0a],
  [0x0d, 0x0d],
  [0x20, 0x20],
];

/**
 * Text between quotes that are not escaped (`'it's'`): a quote belongs to the text when something else
 * than a follower comes after it, white space aside.
 */
function quotedText(quote: string, followers: readonly string[]): Expression {
  const quoteRange = rangeOf(quote);
  const followerRanges = followers.flatMap((text) =>
    text === '' ? [] : [rangeOf(text.trimStart() || text)],
  );
  const inner = sequence(
    repeat(literal(quote), 1),
    repeat(characterClass(...blanks)),
    exceptCharacters(quoteRange, ...followerRanges, ...blanks),
  );
  return sequence(repeat(choice(exceptCharacters(quoteRange), inner)), repeat(literal(quote), 1));
}

function rangeOf(text: string): CodePointRange {
  const code = text.codePointAt(0) ?? 0;
  return [code, code];
}
