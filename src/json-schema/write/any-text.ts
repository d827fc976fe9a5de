/** Any raw text up to the marker that ends it. */
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
} from '../../language/expression/expression.ts';

/**
 * Any text, then `end`. White space around the marker belongs to `end`, but the text cannot contain the bare marker
 * either. A single-character marker is a quote: the text may contain it where it cannot be the end, that is, where
 * none of `followers` follows.
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
 * Text between unescaped quotes (`'it's'`): a quote is part of the text if, after optional white space, something
 * other than a follower comes.
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
