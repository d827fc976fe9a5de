/** Pictures of states: a sample of text, and what of it a state reads. */
import type { Picture } from './states.ts';

const longestBefore = 20;
const longestHere = 56;
const longestAfter = 16;
/** What stands where a sample is cut; no caret stands under it. */
const gap = '…';

/** A picture, cut to a line. */
export function picture(before: string, here: string, after: string): Picture {
  if (before + here + after === '') return { before, here, after: gap };
  const isLong = here.length > longestHere;
  return {
    before: before.length > longestBefore ? gap + before.slice(1 - longestBefore) : before,
    here: isLong ? here.slice(0, longestHere - 1) : here,
    after: isLong ? gap : after.length > longestAfter ? after.slice(0, longestAfter - 1) + gap : after,
  };
}

/**
 * A picture as lines of text: the sample, and carets under what is read (one, where a place is meant), with the
 * title next to them, or on a line of its own where they leave no room within `width`.
 */
export function drawPicture(
  { before, here, after }: Picture,
  title: string,
  width: number,
): readonly string[] {
  const left = visible(before);
  const middle = visible(here);
  const carets = ' '.repeat(left.length) + '^'.repeat(Math.max(1, middle.length));
  const sample = `${left}${middle}${visible(after)}`.trimEnd();
  const labelled = `${carets} ${title}`;
  return labelled.length <= width ? [sample, labelled] : [title, sample, carets];
}

/** Line ends are drawn, so that a picture stays one line. */
function visible(text: string): string {
  const drawn = text.replaceAll('\r', '␍').replaceAll('\n', '⏎').replaceAll('\t', '⇥');
  return drawn.replace(/[\p{C}\u2028\u2029]/gu, '·');
}
