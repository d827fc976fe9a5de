/**
 * A value that nothing closes ends where another argument begins: at its opener with a key that the tool has and the
 * call does not have yet or, where no schema tells, on a line of its own. What follows must then be closed; a value
 * that quotes whole arguments closes them itself.
 */

import { absent, matchText, undecided } from '../../markers/markers.ts';
import { leadingSpaceLength, skipSpace } from '../../markers/white-space.ts';
import type { Reader, State } from '../../reader.ts';
import type { ValuePlace } from '../../state-tables.ts';
import { isProperty } from '../lenient-arguments.ts';
import { anywhere } from '../schema-place.ts';
import { keyEnd, nextBegin, valueCloser } from './value-closer.ts';
import type { ValueStack } from './value-stack.ts';

/** White space between a marker and a key is looked through up to this many units. */
const longestGap = 64;

/** Where another argument begins, or may begin. */
export interface NextEntry {
  /** Position of its opener. */
  readonly at: number;
  /** Where the text before it ends, without the white space that a closer would claim. */
  readonly textEnd: number;
  readonly isCertain: boolean;
}

/** The first argument that begins between the reader's position and `to`, after the value at the top of the stack. */
export function nextEntry(
  reader: Reader,
  values: ValueStack,
  frameClose: string,
  to: number,
  isBegun: boolean,
): NextEntry | null {
  const { another } = values.place;
  if (another === undefined || !reader.forgives(reader.cursor.at)) return null;
  const { text, at: from } = reader.cursor;
  const begin = another.open.slice(0, 2);
  const { leadingSpace } = valueCloser(values, frameClose);
  // Only white space that a closer would claim is still at hand, so only there a line shows to begin.
  const hasLines = leadingSpace.includes('\n');
  for (let at = nextBegin(text, begin, from); at !== -1 && at < to; at = nextBegin(text, begin, at + 1)) {
    const verdict = entryAt(
      reader,
      another,
      at,
      (from === at && !isBegun) || (hasLines && text[at - 1] === '\n'),
    );
    if (verdict === absent) continue;
    const textEnd = at - leadingSpaceLength(text, from, at, leadingSpace);
    return { at, textEnd, isCertain: verdict !== undecided };
  }
  return null;
}

function entryAt(
  reader: Reader,
  another: NonNullable<ValuePlace<State>['another']>,
  at: number,
  beginsLine: boolean,
): number {
  const { text } = reader.cursor;
  const opened = matchText(reader, text, at, another.open);
  if (opened < 0) return opened;
  const start = skipSpace(text, opened);
  if (start - opened > longestGap) return absent;
  const end = keyEnd(text, start, reader.ended);
  if (end < 0) return end;
  if (!mayFollow(reader, text.slice(start, end), beginsLine)) return absent;
  return matchText(reader, text, skipSpace(text, end), another.keyEnd);
}

function mayFollow({ call }: Reader, key: string, beginsLine: boolean): boolean {
  if (call.entryNames.has(key)) return false;
  return call.parameters === anywhere ? beginsLine : isProperty(call.parameters, key);
}
