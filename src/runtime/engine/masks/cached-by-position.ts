/** What is found at a position in a grammar is remembered for it: the same positions come again and again. */
import { memoize } from '../../../format/memoize.ts';
import type { Matcher } from '../../../language/matcher/matcher.ts';
import type { MarkerTokens } from '../tokens/marker-tokens.ts';
import type { Vocabulary } from '../tokens/vocabulary.ts';

type FindAt<Found> = (matcher: Matcher, markers: MarkerTokens, vocabulary: Vocabulary) => Found;

/** Caches what `find` finds by markers and by the position of the matcher, which does not move. */
export function cachedByPosition<Found extends NonNullable<unknown> | null>(
  find: FindAt<Found>,
): FindAt<Found> {
  const foundBy = memoize((_: MarkerTokens) => new WeakMap<object, Found>());
  return (matcher, markers, vocabulary) => {
    const known = foundBy(markers);
    const { state } = matcher;
    const found = known.get(state);
    if (found !== undefined) return found;
    const made = find(matcher, markers, vocabulary);
    known.set(state, made);
    return made;
  };
}
