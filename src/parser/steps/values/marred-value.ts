/**
 * Values between markers that are written twice, or of which one is missing. What a value quotes has as many closers as
 * openers; a value with more openers begins with one that is written twice, and one with a closer too many has lost
 * the opener of the next argument. The latter ends at that closer, so what follows makes the call malformed.
 */
import { repair } from '../../leniency/law-table.ts';
import { markerParts } from '../../leniency/other-spellings.ts';
import { compileTransition } from '../../markers/compiled-transition.ts';
import { absent, matchText, undecided } from '../../markers/markers.ts';
import { skipSpace } from '../../markers/white-space.ts';
import type { Reader, State } from '../../reader.ts';
import type { Frame, ValueProgress } from '../step-progress.ts';
import { minMarker } from './other-ends.ts';
import { namesNextArgument, opensNextArgument } from './unclosed-end.ts';
import { closerPartsEnd, continues, type FoundCloser, valueCloser } from './value-closer.ts';
import type { Closer, ValueStack } from './value-stack.ts';

/** Position after openers of the value at the reading position, `at` if there are none; or `undecided`. */
export function repeatedOpenersEnd(
  reader: Reader,
  values: ValueStack<State>,
  frame: Frame,
  at = reader.cursor.at,
): number {
  if (!reader.allows('marker-twice', at)) return at;
  const { text } = reader.cursor;
  const start = skipSpace(text, at);
  const closed = closerPartsEnd(reader, valueCloser(values, frame.close), start);
  const isEmpty = closed < 0 ? closed : continues(reader, closed, values.place.continuations);
  if (isEmpty === undecided) return undecided;
  if (isEmpty !== absent) return at;
  let result = at;
  for (const { parts, trailingSpace } of openersOf(values, frame)) {
    const end = closerPartsEnd(reader, { parts }, start);
    if (end === undecided) return undecided;
    if (end === absent) continue;
    const space = trailingSpace === '' ? 0 : (/^\r?\n| /.exec(text.slice(end, end + 2))?.[0].length ?? 0);
    result = Math.max(result, end + space);
  }
  return result;
}

/** What may stand before a value in this frame: all markers of its argument, or the last ones. */
function openersOf({ place: { another }, key }: ValueStack<State>, { open }: Frame) {
  const { open: before = '', keyEnd = '' } = another ?? {};
  const parts = markerParts(keyEnd);
  const last = parts.length > 1 ? (parts.at(-1) ?? '') : '';
  return [before && `${before}${key}${keyEnd}`, keyEnd, last]
    .filter((marker, index) => marker.length >= minMarker && (index === 0 || marker.includes('<')))
    .concat(open.trim().length >= minMarker && before === '' ? [''] : [])
    .map((marker) => marker + open)
    .concat(lastTag(open))
    .map((marker) => compileTransition({ marker, next: null }));
}

/** The last part of a marker of several, if it is a tag. */
function lastTag(marker: string): readonly string[] {
  const parts = markerParts(marker);
  return parts.length > 1 ? parts.slice(-1).filter((part) => /^<.{2,}>$/.test(part)) : [];
}

/** Skips openers at the beginning of a value, of which all other text is `text`, if nothing in it closes them. */
export function passRepeatedOpeners(
  reader: Reader,
  values: ValueStack<State>,
  { frame }: ValueProgress,
  text: string,
): void {
  const end = repeatedOpenersEnd(reader, values, frame);
  const { cursor } = reader;
  if (end <= cursor.at || isBalanced(values, frame, text)) return;
  const written = cursor.text.slice(cursor.at, end).trim();
  reader.noteRepair(repair('marker-twice', 'marker', written));
  reader.skip(end);
}

/** Whether the string that has just ended holds a part of its closer at its end. */
export function endsInDamagedCloser({ writer }: Reader, { damaged, parts: [whole = ''] }: Closer): boolean {
  if (damaged.length === 0) return false;
  const end = writer.calls.inputEnd(whole.length + 1);
  return end !== `${whole}"` && damaged.some((each) => end.endsWith(each));
}

/** Whether a value whose opener was incomplete holds the rest of it. */
export function holdsLostOpener(
  { place: { another } }: ValueStack<State>,
  { frame }: ValueProgress,
  text: string,
): boolean {
  const lost = markerParts(another?.keyEnd ?? '').at(-1) ?? '';
  return lost.startsWith('<') && text.includes(lost + frame.open);
}

function isBalanced(values: ValueStack<State>, { close }: Frame, text: string): boolean {
  const { opener, parts } = valueCloser(values, close);
  return opener !== null && occurrences(text, opener) <= occurrences(text, parts[0] ?? '');
}

function occurrences(text: string, part: string): number {
  return part === '' ? 0 : text.split(part).length - 1;
}

/** Whether the first tag of an opener of several parts stands at `at` without the others. */
function beginsOpener(reader: Reader, open: string, at: number): boolean {
  const [first = '', second] = markerParts(open);
  const { text } = reader.cursor;
  if (second === undefined || !first.startsWith('<')) return false;
  return matchText(reader, text, at, first) >= 0 && matchText(reader, text, at, open) < 0;
}

/**
 * The closer that ends a value whose text up to it is buffered; `null` if the value ends before it, at a closer that
 * nothing in it opens: the opener of another argument is missing after that, or comes late.
 */
export function closerAfterUnopened(
  reader: Reader,
  values: ValueStack<State>,
  progress: ValueProgress,
  found: FoundCloser,
): FoundCloser | null {
  const { unopened, frame } = progress;
  const { another } = values.place;
  if (unopened === null || unopened === 'none') return found;
  if (unopened.isCertain) return null;
  const { cursor } = reader;
  const before = cursor.base;
  const to = cursor.offset;
  reader.rewind();
  const after = closerPartsEnd(reader, valueCloser(values, frame.close), unopened.at - cursor.base);
  const isOver =
    another !== undefined &&
    after >= 0 &&
    (beginsOpener(reader, another.open, after) ||
      namesNextArgument(reader, another, after) ||
      opensNextArgument(reader, another, after, to - cursor.base));
  if (isOver) return null;
  progress.unopened = 'none';
  reader.bufferTo(to - cursor.base);
  const shift = before - cursor.base;
  const { textEnd, end, closer } = found;
  return {
    ...found,
    textEnd: textEnd + shift,
    end: end === null ? null : end + shift,
    closer: closer + shift,
  };
}
