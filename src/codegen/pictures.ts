/** Pictures of states: a sample text, and the part that a state reads. */
import type { Picture } from './states.ts';

const maxBefore = 20;
const maxHere = 56;
const maxAfter = 16;
/** Replaces the part that is cut off; it has no carets. */
const gap = '…';

/** A picture, cut to fit on a line. */
export function picture(before: string, here: string, after: string): Picture {
  if (before + here + after === '') return { before, here, after: gap };
  const isLong = here.length > maxHere;
  return {
    before: before.length > maxBefore ? gap + before.slice(1 - maxBefore) : before,
    here: isLong ? here.slice(0, maxHere - 1) : here,
    after: isLong ? gap : after.length > maxAfter ? after.slice(0, maxAfter - 1) + gap : after,
  };
}

/**
 * A picture as lines of text: the sample, then carets below the part that is read (a single one for a position), with
 * the title next to them, or on a line above if it does not fit into `width`.
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

/** Makes line ends visible, so that a picture is a single line. */
function visible(text: string): string {
  const drawn = text.replaceAll('\r', '␍').replaceAll('\n', '⏎').replaceAll('\t', '⇥');
  return drawn.replace(/[\p{C}\u2028\u2029]/gu, '·');
}
