/** The one convention that the analysis knows: how a closing marker mirrors an opening one. */

/** The closing marker that conventionally belongs to an opening one; `null` if there is none. */
export function mirror(marker: string): string | null {
  if (/^<[^/<>][^<>]*>$/u.test(marker)) return `</${marker.slice(1)}`;
  if (/^\[[^/[\]]+\]$/u.test(marker)) return `[/${marker.slice(1)}`;
  return null;
}
