/**
 * A value without a closer ends where another argument begins, or where the call ends.
 *
 * Another argument begins at its opener followed by a key that the tool has and the call lacks or, without a schema,
 * on a line of its own. Its key must be closed; a value that quotes whole arguments closes them itself. A call may
 * end at the marker after its arguments. Here only the place is found: whether something closes the value later is for
 * `readPastUnclosed` in `unscanned-value.ts`.
 *
 *     <parameter=city>⏎Paris⏎<parameter=unit>⏎…      the opener of `unit`, which the tool has
 *     <parameter=city>⏎Paris⏎</function>⏎…           the marker after the arguments
 */

import { isProperty } from '../../leniency/lenient-arguments.ts';
import { markerParts } from '../../leniency/other-spellings.ts';
import { absent, type MatchEnd, matchText, undecided } from '../../markers/markers.ts';
import { leadingSpaceLength, maxGap, skipSpace } from '../../markers/white-space.ts';
import type { Reader, State } from '../../reader.ts';
import type { ValuePlace } from '../../state-tables.ts';
import { anywhere } from '../schema-place.ts';
import type { ValueProgress } from '../step-progress.ts';
import { endsBeginWithBracket, otherEnds } from './other-ends.ts';
import type { QuotedCalls } from './quoted-calls.ts';
import { keyEnd, nextStart, valueCloser } from './value-closer.ts';
import type { ValueStack } from './value-stack.ts';

/** Where a value without a closer ends, or may end. */
export interface UnclosedEnd {
  /** Position of the text after it: the opener of another argument, or the marker after the arguments. */
  readonly at: number;
  /** End of the value's text, without the white space that would precede a closer, or the line break. */
  readonly textEnd: number;
  /** `false`: the text is too short to tell. */
  readonly isCertain: boolean;
  /** Whether the call ends here. */
  readonly endsCall: boolean;
}

type Another = NonNullable<ValuePlace<State>['another']>;

/** The first position up to `to` where the value at the top of the stack may end without a closer. */
export function unclosedEnd(
  reader: Reader,
  values: ValueStack<State>,
  { frame, calls }: ValueProgress,
  to: number,
  hasText: boolean,
): UnclosedEnd | null {
  const { another } = values.place;
  if (another === undefined || !reader.allows('unclosed')) return null;
  const { text, at: from } = reader.cursor;
  // Most values contain no marker at all, and most markers begin with `<`.
  const first = text.indexOf('<', from);
  const hasNone = (first === -1 || first >= to) && endsBeginWithBracket(values.place);
  const found = hasNone ? null : firstEnd(reader, values.place, another, to, hasText, calls);
  if (found === null) return null;
  const { leadingSpace } = valueCloser(values, frame.close);
  const gap = leadingSpace.endsWith('\n') ? leadingSpace : `${leadingSpace}\n`;
  return { ...found, textEnd: found.at - leadingSpaceLength(text, from, found.at, gap) };
}

type FoundEnd = Omit<UnclosedEnd, 'textEnd'>;

/** Text that may end a value, and what tells whether it does where it stands. */
interface EndCandidate {
  readonly marker: string;
  readonly endsCall: boolean;
  readonly verdictAt: (at: number) => MatchEnd;
}

/** The first place where a candidate ends the value; of two at the same place, another argument. */
function firstEnd(
  reader: Reader,
  place: ValuePlace<State>,
  another: Another,
  to: number,
  hasText: boolean,
  calls: QuotedCalls | null,
): FoundEnd | null {
  const { text, at: from } = reader.cursor;
  const argument: EndCandidate = {
    marker: another.open,
    endsCall: false,
    verdictAt(at) {
      const beginsLine = (from === at && !hasText) || text[at - 1] === '\n';
      return entryAt(reader, another, at, (key) => mayFollow(reader, key, beginsLine));
    },
  };
  const endsOfCall = otherEnds(place)
    .filter((marker) => marker !== another.open)
    .map((marker): EndCandidate => {
      return { marker, endsCall: true, verdictAt: (at) => matchText(reader, text, at, marker) };
    });
  return [argument, ...endsOfCall].reduce<FoundEnd | null>(
    (found, each) => firstOf(reader, each, found?.at ?? to, calls) ?? found,
    null,
  );
}

/** The first position before `to` where a candidate ends the value, or may; none within a quoted call. */
function firstOf(
  reader: Reader,
  { marker, endsCall, verdictAt }: EndCandidate,
  to: number,
  calls: QuotedCalls | null,
): FoundEnd | null {
  for (const at of starts(reader.cursor.text, marker, reader.cursor.at, to)) {
    const verdict = verdictAt(at);
    if (verdict === absent || calls?.isOpenAt(reader.cursor, at)) continue;
    return { at, isCertain: verdict !== undecided, endsCall };
  }
  return null;
}

/** Positions between two others where `marker` may begin. */
function* starts(text: string, marker: string, from: number, to: number): Generator<number, void> {
  // By two characters, `nextStart` also finds a marker of which the text has only the beginning.
  const start = marker.slice(0, 2);
  for (let at = nextStart(text, start, from); at !== -1 && at < to; at = nextStart(text, start, at + 1)) {
    yield at;
  }
}

/** Whether an argument of any call, or one whose key is allowed, is opened between two positions. */
export function opensEntry(
  reader: Reader,
  another: Another,
  from: number,
  to: number,
  allows: (key: string) => boolean = () => true,
): boolean {
  for (const at of starts(reader.cursor.text, another.open, from, to)) {
    if (entryAt(reader, another, at, allows) >= 0) return true;
  }
  return false;
}

/** Whether an argument that the tool has and the call lacks is opened between two positions. */
export function opensNextArgument(reader: Reader, another: Another, from: number, to: number): boolean {
  return opensEntry(reader, another, from, to, (key) => mayFollow(reader, key, false));
}

/** Whether the name of such an argument is at a position, without its opener. */
export function namesNextArgument(reader: Reader, another: Another, at: number): boolean {
  return keyAt(reader, another, at, (key) => mayFollow(reader, key, false)) >= 0;
}

function entryAt(reader: Reader, another: Another, at: number, allows: (key: string) => boolean): MatchEnd {
  const { text } = reader.cursor;
  const opened = matchText(reader, text, at, another.open);
  return opened < 0 ? opened : keyAt(reader, another, opened, allows);
}

/** End of a key at a position and of the text after it, or of a part of that. */
function keyAt(reader: Reader, another: Another, opened: number, allows: (key: string) => boolean): MatchEnd {
  const { text } = reader.cursor;
  const start = skipSpace(text, opened);
  if (start - opened > maxGap) return absent;
  const end = keyEnd(text, start, reader.ended);
  if (end < 0) return end;
  if (!allows(text.slice(start, end))) return absent;
  return keyIsClosed(reader, another, skipSpace(text, end));
}

/**
 * End of the text after a key, or of a part that is enough to close it: the first word of `keyEnd`, or any later part
 * that begins with `<`.
 */
function keyIsClosed(reader: Reader, { keyEnd }: Another, at: number): MatchEnd {
  const [first = keyEnd, ...others] = markerParts(keyEnd);
  const [word = first] = first.split(/\s/);
  let result = absent;
  for (const part of [word, ...others.filter((each) => each.startsWith('<'))]) {
    const verdict = matchText(reader, reader.cursor.text, at, part);
    if (verdict >= 0) return verdict;
    if (verdict === undecided) result = undecided;
  }
  return result;
}

function mayFollow({ call }: Reader, key: string, beginsLine: boolean): boolean {
  if (call.entryNames.has(key)) return false;
  return call.parameters === anywhere ? beginsLine : isProperty(call.parameters, key);
}
