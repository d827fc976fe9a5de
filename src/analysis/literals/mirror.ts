/** The one convention that analysis knows: how a closing marker mirrors an opening one. */

/** The closing marker that the field's conventions pair with an opening one; `null` where there is none. */
export function mirror(marker: string): string | null {
  if (/^<[^/<>][^<>]*>$/u.test(marker)) return `</${marker.slice(1)}`;
  if (/^\[[^/[\]]+\]$/u.test(marker)) return `[/${marker.slice(1)}`;
  return null;
}
