/** A repeated opener of thoughts: models write it although the prompt ends with it. */

import { type MarkerTable, undecided } from '../markers/markers.ts';
import { maxGap, skipSpace } from '../markers/white-space.ts';
import type { Reader, State } from '../reader.ts';
import { markerRepair } from './law-table.ts';

/**
 * Skips a repetition of the marker that has just opened thoughts. If one of the `ends` of thoughts follows at once,
 * the marker is the whole thought and is kept. `wait`: more text may decide.
 */
export function passRepeatedOpener(reader: Reader, ends: MarkerTable<State>): 'passed' | 'wait' | 'none' {
  const { cursor, thoughtOpener } = reader;
  if (thoughtOpener === null || !reader.allows('thoughts-again')) return 'none';
  const start = skipSpace(cursor.text, cursor.at);
  if (start === cursor.text.length && !reader.ended) return start - cursor.at > maxGap ? 'none' : 'wait';
  const match = thoughtOpener.matchAt(reader, cursor.text, start);
  if (match === undecided) return 'wait';
  const continues = match === null ? false : thoughtsFollow(reader, match.end, ends);
  if (continues === undecided) return 'wait';
  reader.thoughtOpener = null;
  if (match === null || !continues) return 'none';
  reader.noteRepair(markerRepair('thoughts-again', match.choice));
  reader.skip(match.end);
  reader.claimSpace(match.choice.trailingSpace);
  return 'passed';
}

/** Whether anything but white space is between `from` and the first of `ends`. */
function thoughtsFollow(reader: Reader, from: number, ends: MarkerTable<State>): boolean | typeof undecided {
  const { text } = reader.cursor;
  const at = skipSpace(text, from);
  if (at - from > maxGap) return true;
  if (at === text.length) return reader.ended ? false : undecided;
  const end = ends.matchAt(reader, text, at);
  return end === undecided ? undecided : end === null;
}
