/** Pictures of states: a sample of text, and what of it a state reads. */
import type { Picture } from './states.ts';

const longest = 44;

/** A picture, cut to a line. */
export function picture(before: string, here: string, after: string): Picture {
  const isEmpty = before + here + after === '';
  return { before: lastOf(before), here: firstOf(here), after: isEmpty ? '…' : firstOf(after) };
}

function firstOf(text: string): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

function lastOf(text: string): string {
  return text.length > longest ? `…${text.slice(1 - longest)}` : text;
}

/** A picture as two lines of text: the sample, and carets under what is read (one, where a place is meant). */
export function drawPicture({ before, here, after }: Picture): readonly [sample: string, carets: string] {
  const left = visible(before);
  const middle = visible(here);
  const carets = '^'.repeat(Math.max(1, middle.length));
  return [`${left}${middle}${visible(after)}`, `${' '.repeat(left.length)}${carets}`];
}

/** Line ends are drawn, so that a picture stays one line; a comment must not end early. */
function visible(text: string): string {
  const drawn = text.replaceAll('\r', '␍').replaceAll('\n', '⏎').replaceAll('\t', '⇥');
  return drawn.replaceAll('*/', '*∕').replace(/[\p{C}\u2028\u2029]/gu, '·');
}
