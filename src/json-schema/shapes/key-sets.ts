/** Sets of object keys, given by names and patterns. */
import type { Term, Terms } from '../../language/regular/terms.ts';

/** The keys that are named or match a pattern; with `complement`, all others. */
export interface KeySet {
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly Term[];
  readonly complement: boolean;
}

/** No key. */
export const noKeys: KeySet = { names: new Set(), patterns: [], complement: false };

/** Every key. */
export const allKeys: KeySet = { ...noKeys, complement: true };

/** Whether `keys` covers `key`. */
export function coversKey(terms: Terms, keys: KeySet, key: string): boolean {
  const named = keys.names.has(key) || keys.patterns.some((pattern) => terms.matches(pattern, key));
  return named !== keys.complement;
}

/** The union; neither set may have `complement`, except for the set of all keys. */
export function uniteKeys(a: KeySet, b: KeySet): KeySet {
  if (a === noKeys) return b;
  if (b === noKeys) return a;
  if (a.complement || b.complement) return allKeys;
  return {
    names: new Set([...a.names, ...b.names]),
    patterns: [...a.patterns, ...b.patterns],
    complement: false,
  };
}

/** The key in `keys` if it is the only one; otherwise `null`. */
export function onlyName({ names, patterns, complement }: KeySet): string | null {
  if (names.size !== 1 || patterns.length > 0 || complement) return null;
  const [name] = names;
  return name ?? null;
}
