/** Where two texts differ, and where a slice stands in one of them. */

/** A stretch of a text. */
export interface TextRange {
  readonly from: number;
  readonly to: number;
}

/** The stretch of `text` between what it begins and what it ends with as `other` does. */
export function changedRange(text: string, other: string): TextRange {
  const most = Math.min(text.length, other.length);
  let from = 0;
  while (from < most && text[from] === other[from]) from += 1;
  let end = 0;
  while (end < most - from && text.at(-1 - end) === other.at(-1 - end)) end += 1;
  return { from, to: text.length - end };
}

/**
 * The last place of a slice of evidence in its render; `null` where it is not there. A slice that is a mere word, such
 * as `object`, may be the value of a field and no text of the render: it counts only where the renders differ.
 */
export function slicePlace(render: string, slice: string, changed: TextRange): TextRange | null {
  const wanted = slice.endsWith('…') && !render.includes(slice) ? slice.slice(0, -1) : slice;
  const from = wanted === '' ? -1 : render.lastIndexOf(wanted);
  const to = from + wanted.length;
  const isInside = from < changed.to && to > changed.from;
  return from < 0 || (!isInside && /^\w+$/.test(wanted)) ? null : { from, to };
}

/** A text cut at the ends of ranges; each piece says in which of them it is. */
export function cutAt<Name extends string>(
  text: string,
  ranges: Readonly<Record<Name, TextRange | null>>,
): readonly { readonly text: string; readonly names: readonly Name[] }[] {
  const known = (Object.entries(ranges) as [Name, TextRange | null][]).flatMap(([name, range]) =>
    range === null ? [] : [{ name, ...range }],
  );
  const cuts = [...new Set([0, text.length, ...known.flatMap(({ from, to }) => [from, to])])].sort(
    (one, other) => one - other,
  );
  return cuts.slice(0, -1).map((from, index) => {
    const to = cuts[index + 1] ?? text.length;
    const names = known.filter((each) => each.from <= from && to <= each.to).map(({ name }) => name);
    return { text: text.slice(from, to), names };
  });
}
