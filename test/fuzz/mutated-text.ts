/** Texts that are nearly right: pieces of real ones, cut, repeated and put together with others. */
import fc from 'fast-check';

/** One change to a text; places are parts of its length, so that changes shrink on their own. */
type Change =
  | { readonly kind: 'put'; readonly at: number; readonly part: string }
  | { readonly kind: 'drop'; readonly at: number; readonly length: number }
  | { readonly kind: 'repeat'; readonly at: number; readonly length: number; readonly times: number };

/** Texts of `seeds` with up to twelve changes; `parts` are put in. */
export function mutatedText(seeds: readonly string[], parts: readonly string[]): fc.Arbitrary<string> {
  const at = fc.double({ min: 0, max: 1, noNaN: true });
  const length = fc.nat(40);
  const part = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...parts) }, fc.string({ maxLength: 6 }));
  const change: fc.Arbitrary<Change> = fc.oneof(
    fc.record({ kind: fc.constant('put' as const), at, part }),
    fc.record({ kind: fc.constant('drop' as const), at, length }),
    fc.record({ kind: fc.constant('repeat' as const), at, length, times: fc.integer({ min: 1, max: 30 }) }),
  );
  return fc
    .tuple(fc.constantFrom(...seeds), fc.array(change, { maxLength: 12 }))
    .map(([seed, changes]) => changes.reduce(applied, seed));
}

function applied(text: string, change: Change): string {
  const start = Math.floor(change.at * text.length);
  const [head, rest] = [text.slice(0, start), text.slice(start)];
  if (change.kind === 'put') return head + change.part + rest;
  if (change.kind === 'drop') return head + rest.slice(change.length);
  return head + rest.slice(0, change.length).repeat(change.times) + rest;
}

/** JSON out of keys and leaves that mean something, as a text. */
export function jsonOf(keys: readonly string[], leaves: readonly unknown[]): fc.Arbitrary<string> {
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5, depthSize: 'small' },
      fc.constantFrom(...leaves),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(fc.constantFrom(...keys), tie('value')), { maxLength: 5 }).map(Object.fromEntries),
    ),
  }));
  return value.map((each) => JSON.stringify(each));
}
