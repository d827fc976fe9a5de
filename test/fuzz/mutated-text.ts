/** Texts that are nearly right: real ones, a few of whose words are changed, moved, repeated or left out. */
import fc from 'fast-check';

/** One change to a text; places are parts of its length, so that changes shrink on their own. */
type Change =
  | { readonly kind: 'put'; readonly at: number; readonly part: string }
  | { readonly kind: 'swap'; readonly at: number; readonly from: number }
  | { readonly kind: 'move'; readonly at: number; readonly from: number; readonly length: number }
  | { readonly kind: 'drop'; readonly at: number; readonly length: number }
  | { readonly kind: 'cut'; readonly at: number }
  | { readonly kind: 'repeat'; readonly at: number; readonly length: number; readonly times: number };

/** UTF-16 units: what is repeated may be repeated again, and one text of megabytes takes the time of thousands. */
const longest = 300_000;

/** Texts of `seeds` with up to six changes; `parts` are put in. */
export function mutatedText(seeds: readonly string[], parts: readonly string[]): fc.Arbitrary<string> {
  const at = fc.double({ min: 0, max: 1, noNaN: true });
  const length = fc.integer({ min: 1, max: 30 });
  const part = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...parts) }, fc.string({ maxLength: 6 }));
  const times = fc.integer({ min: 1, max: 20 });
  const change: fc.Arbitrary<Change> = fc.oneof(
    fc.record({ kind: fc.constant('put' as const), at, part }),
    fc.record({ kind: fc.constant('swap' as const), at, from: at }),
    fc.record({ kind: fc.constant('move' as const), at, from: at, length }),
    fc.record({ kind: fc.constant('drop' as const), at, length }),
    fc.record({ kind: fc.constant('cut' as const), at }),
    fc.record({ kind: fc.constant('repeat' as const), at, length, times }),
  );
  return fc
    .tuple(fc.constantFrom(...seeds), fc.array(change, { maxLength: 6 }))
    .map(([seed, changes]) => changes.reduce(applied, wordsOf(seed)).join('').slice(0, longest));
}

/** Words, white space, and single signs: what lies between two of them is a place where a grammar may turn. */
function wordsOf(text: string): readonly string[] {
  return text.match(/\w+|\s+|[^\w\s]/gu) ?? [];
}

function applied(words: readonly string[], change: Change): readonly string[] {
  const at = Math.floor(change.at * words.length);
  const [head, rest] = [words.slice(0, at), words.slice(at)];
  switch (change.kind) {
    case 'put':
      return [...head, change.part, ...rest];
    case 'swap':
      return [...head, ...alike(words, rest[0] ?? '', change.from), ...rest.slice(1)];
    case 'move':
      return [...head, ...stretch(words, change.from, change.length), ...rest];
    case 'drop':
      return [...head, ...rest.slice(change.length)];
    case 'cut':
      // Within a word: halves are what a reader of pieces gets.
      return [...head, (rest[0] ?? '').slice(0, 1), ...rest.slice(1)];
    case 'repeat':
      return [...head, ...Array(change.times).fill(rest.slice(0, change.length).join('')), ...rest];
  }
}

/** A word from elsewhere that is of the same kind, so that the text stays well-formed more often than not. */
function alike(words: readonly string[], word: string, from: number): readonly string[] {
  const isName = /\w/.test(word);
  const others = words.filter((other) => /\w/.test(other) === isName && other.trim() !== '');
  return others.slice(Math.floor(from * others.length)).slice(0, 1);
}

function stretch(words: readonly string[], from: number, length: number): readonly string[] {
  const start = Math.floor(from * words.length);
  return words.slice(start, start + length);
}
