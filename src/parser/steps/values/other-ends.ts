/** What ends a value whose own closer is missing. */
import type { KeyedText, ValuePlace } from '../../state-tables.ts';

/** Shorter markers are too common in values. */
export const minMarker = 4;

const knownEnds = new WeakMap<ValuePlace<unknown>, readonly string[]>();

/** What may end a value at this place besides its closer: the opener of another argument, or the ends of the call. */
export function otherEnds(place: ValuePlace<unknown>): readonly string[] {
  const known = knownEnds.get(place);
  if (known !== undefined) return known;
  const { another } = place;
  const ends = another === undefined ? [] : [another.open, ...callEnds(place, another.open)];
  knownEnds.set(place, ends);
  return ends;
}

const knownAlike = new WeakMap<ValuePlace<unknown>, boolean>();

/** Whether all of them begin with an angle bracket. */
export function endsBeginWithBracket(place: ValuePlace<unknown>): boolean {
  const known = knownAlike.get(place);
  if (known !== undefined) return known;
  const alike = otherEnds(place).every((each) => each.startsWith('<'));
  knownAlike.set(place, alike);
  return alike;
}

/** The markers that may follow the last argument and do not occur in text. */
function callEnds({ continuations = [] }: ValuePlace<unknown>, open: string): readonly string[] {
  return continuations.flatMap((each: KeyedText) => {
    const [marker] = each;
    const isEnd = each.length === 1 && typeof marker === 'string' && marker !== open;
    return isEnd && marker.length >= minMarker && /[^\w\s]/.test(marker) ? [marker] : [];
  });
}
