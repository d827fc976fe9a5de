/** What a parser made of a response, and how two of them compare. */

/** A message, as far as parsers agree on its shape. */
export interface Reading {
  readonly reasoning: string | null;
  readonly content: string | null;
  /** Names, and arguments as JSON text. */
  readonly calls: readonly (readonly [name: string, input: string])[];
}

/** What a reference says: a reading, or the error that it ends in. */
export type Answer = Reading | { readonly error: string };

/**
 * `agree`: both are the message that was written. `theirs`: only theirs is not. `ours`: only ours is not. `understood
 * differently`: neither is, and they differ.
 */
export const verdicts = ['agree', 'theirs', 'ours', 'understood differently'] as const;
export type Verdict = (typeof verdicts)[number];

/** Judges two readings of what was `written`. */
export function judge(written: Reading, ours: Reading, theirs: Answer): Verdict {
  const meant = canonical(written);
  const [our, their] = [canonical(ours), 'error' in theirs ? 'error' : canonical(theirs)];
  if (our === their) return 'agree';
  if (our === meant) return 'theirs';
  return their === meant ? 'ours' : 'understood differently';
}

/** A reading as text: without white space at the ends of texts, and without that of JSON. */
export function canonical({ reasoning, content, calls }: Reading): string {
  return JSON.stringify([
    (reasoning ?? '').trim(),
    (content ?? '').trim(),
    calls.map(([name, input]) => [name, canonicalJson(input)]),
  ]);
}

function canonicalJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text === '' ? '{}' : text), sortedKeys);
  } catch {
    return text;
  }
}

function sortedKeys(_: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
