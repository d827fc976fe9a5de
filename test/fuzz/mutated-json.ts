/** JSON that is nearly right: real documents in which a few places hold something else. */
import fc from 'fast-check';

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** One change to a document; places are parts of the number of its values, so that changes shrink on their own. */
type Change =
  | { readonly kind: 'put'; readonly at: number; readonly value: Json }
  | { readonly kind: 'move'; readonly at: number; readonly from: number }
  | { readonly kind: 'drop'; readonly at: number }
  | { readonly kind: 'rename'; readonly at: number; readonly key: string }
  | { readonly kind: 'wrap'; readonly at: number; readonly key: string | null }
  | { readonly kind: 'repeat'; readonly at: number; readonly times: number };

/** Documents of `seeds` with up to six changes, as text; `keys` and `leaves` mean something to who reads them. */
export function mutatedJson(
  seeds: readonly unknown[],
  keys: readonly string[],
  leaves: readonly Json[],
): fc.Arbitrary<string> {
  const at = fc.double({ min: 0, max: 1, noNaN: true });
  const key = fc.constantFrom(...keys);
  const value = fc.constantFrom(...leaves);
  const change: fc.Arbitrary<Change> = fc.oneof(
    fc.record({ kind: fc.constant('put' as const), at, value }),
    fc.record({ kind: fc.constant('move' as const), at, from: at }),
    fc.record({ kind: fc.constant('drop' as const), at }),
    fc.record({ kind: fc.constant('rename' as const), at, key }),
    fc.record({ kind: fc.constant('wrap' as const), at, key: fc.option(key) }),
    fc.record({ kind: fc.constant('repeat' as const), at, times: fc.integer({ min: 1, max: 12 }) }),
  );
  return fc
    .tuple(fc.constantFrom(...seeds), fc.array(change, { maxLength: 6 }))
    .map(([seed, changes]) => JSON.stringify(changes.reduce(applied, plain(seed))));
}

function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value) ?? 'null');
}

/** More values than this make nothing more likely. */
const mostValues = 3000;

/** The document after a change; what is changed is found by counting values from the first one on. */
function applied(document: Json, change: Change): Json {
  const values = valuesOf(document);
  if (values.length > mostValues) return document;
  let left = Math.floor(change.at * values.length);
  const moved = change.kind === 'move' ? values[Math.floor(change.from * values.length)] : null;
  const isHere = (): boolean => left-- === 0;

  /** What stands in place of a member. */
  const members = (key: string, value: Json): readonly (readonly [string, Json])[] => {
    if (!isHere()) return [[key, walk(value)]];
    if (change.kind === 'drop') return [];
    return [[change.kind === 'rename' ? change.key : key, changed(value, change, moved ?? null)]];
  };
  const items = (value: Json): readonly Json[] => {
    if (!isHere()) return [walk(value)];
    if (change.kind === 'drop') return [];
    return change.kind === 'repeat'
      ? Array<Json>(change.times).fill(value)
      : [changed(value, change, moved ?? null)];
  };
  function walk(value: Json): Json {
    if (Array.isArray(value)) return value.flatMap(items);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).flatMap(([key, inner]) => members(key, inner)));
  }
  return isHere() ? changed(document, change, moved ?? null) : walk(document);
}

function changed(value: Json, change: Change, moved: Json): Json {
  if (change.kind === 'put') return change.value;
  if (change.kind === 'move') return moved;
  if (change.kind !== 'wrap') return value;
  return change.key === null ? [value] : Object.fromEntries([[change.key, value]]);
}

function isObject(value: Json): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** All values, the document first, in the order in which they stand. */
function valuesOf(value: Json): readonly Json[] {
  const inner = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return [value, ...inner.flatMap(valuesOf)];
}
