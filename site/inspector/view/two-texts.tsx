/** Two texts side by side; what both share is dimmed, so that the eye finds what differs. */
import { changedRange, cutAt, slicePlace } from '../core/text-difference.ts';
import { scrolling } from './scrolling.ts';

/** A text, and what it is. */
export interface CaptionedText {
  readonly caption: string;
  readonly text: string;
}

/** What is compared. */
export interface TwoTextsProps {
  readonly one: CaptionedText;
  readonly other: CaptionedText;
  /** Marked in `one`. */
  readonly slice?: string;
}

/** The two. */
export function TwoTexts({ one, other, slice = '' }: TwoTextsProps) {
  return (
    <div class="renders">
      <DifferingText shown={one} against={other.text} slice={slice} />
      <DifferingText shown={other} against={one.text} slice="" />
    </div>
  );
}

interface DifferingTextProps {
  readonly shown: CaptionedText;
  readonly against: string;
  readonly slice: string;
}

function DifferingText({ shown: { caption, text }, against, slice }: DifferingTextProps) {
  const changed = changedRange(text, against);
  const pieces = cutAt(text, { changed, slice: slicePlace(text, slice, changed) });
  const first = pieces.findIndex(({ names }) => names.includes(slice === '' ? 'changed' : 'slice'));
  return (
    <figure>
      <figcaption>{caption}</figcaption>
      <pre {...scrolling(caption)}>
        {pieces.map(({ text: piece, names }, index) => {
          const look = names.includes('changed') ? 'changed' : 'shared';
          const reference = index === first ? { ref: showMiddle } : {};
          return names.includes('slice') ? (
            <mark key={`${index}`} {...reference}>
              {piece}
            </mark>
          ) : (
            <span key={`${index}`} class={look} {...reference}>
              {piece}
            </span>
          );
        })}
      </pre>
    </figure>
  );
}

/** A piece comes to the upper half of its text, without the page moving. */
function showMiddle(piece: HTMLElement | null): void {
  const pre = piece?.closest('pre');
  if (piece === null || pre === null || pre === undefined) return;
  pre.scrollTop += piece.getBoundingClientRect().top - pre.getBoundingClientRect().top - pre.clientHeight / 3;
}
