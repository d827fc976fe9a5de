/**
 * Determines which markers XGrammar finds in free text. After a mismatch inside a marker, it resumes from the last
 * byte only, ignoring suffixes of the partial match: it does not find `aab` in `aaab`.
 */

const encoder = new TextEncoder();

/** Whether a simultaneous search for all `markers` finds every occurrence of each. */
export function areFound(markers: readonly string[]): boolean {
  const spelled = markers.map((marker) => Array.from(encoder.encode(marker), (byte) => `${byte};`));
  const next = new Map<string, Set<string>>();
  for (const bytes of spelled) {
    for (const [at, byte] of bytes.entries()) {
      const begun = bytes.slice(0, at).join('');
      next.set(begun, (next.get(begun) ?? new Set()).add(byte));
    }
  }
  return spelled.every((bytes) =>
    bytes.every((_, at) => {
      const onward = next.get(bytes.slice(0, at).join(''));
      // A suffix of the partial match may begin a marker, too; both must continue alike.
      return Array.from({ length: Math.max(0, at - 1) }, (_, skipped) => bytes.slice(skipped + 1, at)).every(
        (inner) => [...(next.get(inner.join('')) ?? [])].every((byte) => onward?.has(byte) === true),
      );
    }),
  );
}

/**
 * Shortens each of `markers` that repeats its own beginning (`<a><a b>` to `<a>`), so that it is found. Words stay
 * whole: half a word would match in prose.
 */
export function findable(markers: readonly string[]): readonly string[] {
  const alone = markers.map(shorten);
  const cut = alone.map((marker) => {
    const inner = alone.filter((other) => marker.includes(other));
    return marker.slice(0, Math.min(...inner.map((other) => marker.indexOf(other) + other.length)));
  });
  return [...new Set(cut)];
}

function shorten(marker: string): string {
  const [first = ''] = Array.from(marker);
  if (/^[\p{L}\p{N}\s]/u.test(first)) return marker;
  let found = marker;
  while (!areFound([found]) && found.lastIndexOf(first) > 0) found = found.slice(0, found.lastIndexOf(first));
  return found;
}
