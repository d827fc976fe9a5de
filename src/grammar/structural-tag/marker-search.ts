/**
 * Which markers XGrammar finds in free text. Where a text departs from a marker that has begun, it goes on looking
 * from the last byte alone, and not from inside of what had begun: `aab` is not found in `aaab`.
 */

const encoder = new TextEncoder();

/** Whether each of `markers` is found wherever it stands, all of them looked for at once. */
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
      // What ends so may also have begun a marker later; both must go on alike.
      return Array.from({ length: Math.max(0, at - 1) }, (_, skipped) => bytes.slice(skipped + 1, at)).every(
        (inner) => [...(next.get(inner.join('')) ?? [])].every((byte) => onward?.has(byte) === true),
      );
    }),
  );
}

/**
 * `markers`, each shortened where it repeats its own beginning (`<a><a b>` to `<a>`), so that it is found by itself.
 * Words are left as they are: half a word would be found in prose.
 */
export function findable(markers: readonly string[]): readonly string[] {
  const alone = markers.map(shortened);
  const cut = alone.map((marker) => {
    const inner = alone.filter((other) => marker.includes(other));
    return marker.slice(0, Math.min(...inner.map((other) => marker.indexOf(other) + other.length)));
  });
  return [...new Set(cut)];
}

function shortened(marker: string): string {
  const [first = ''] = Array.from(marker);
  if (/^[\p{L}\p{N}\s]/u.test(first)) return marker;
  let found = marker;
  while (!areFound([found]) && found.lastIndexOf(first) > 0) found = found.slice(0, found.lastIndexOf(first));
  return found;
}
