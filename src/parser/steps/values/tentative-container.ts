/**
 * Objects and arrays between markers, if the schema allows them: whether one is JSON is clear only at its end. Short
 * ones are withheld until then, so a broken one can become text and the call is not lost.
 */
import { absent, undecided } from '../../markers/markers.ts';
import { skipSpace } from '../../markers/white-space.ts';
import type { Reader, State } from '../../reader.ts';
import { closerPartsEnd, continues, valueCloser } from './value-closer.ts';
import type { ValueStack } from './value-stack.ts';

/** Longer containers are emitted as they arrive. */
const maxTentative = 256;

/**
 * Reads on in the value at the start of the buffer. `scan`: it is a container, or too long to tell; `text`: it is not.
 * In both cases the reader rewinds to its beginning.
 */
export function tryContainer(
  reader: Reader,
  values: ValueStack<State>,
  frameClose: string,
): 'wait' | 'scan' | 'text' {
  const verdict = readOn(reader, values, frameClose);
  if (verdict === 'wait') return verdict;
  reader.rewind();
  reader.scanner.reset();
  return verdict;
}

function readOn(reader: Reader, values: ValueStack<State>, frameClose: string): 'wait' | 'scan' | 'text' {
  const { scanner, cursor, buffer } = reader;
  if (scanner.status === 'open') {
    const limit = cursor.at + maxTentative - buffer.length;
    const within = limit < cursor.text.length ? cursor.text.slice(0, limit) : cursor.text;
    reader.bufferTo(scanner.scan(within, cursor.at));
    const { status } = reader.scanner;
    if (status === 'illegal') return 'text';
    if (status === 'open') return reader.ended || buffer.length >= maxTentative ? 'scan' : 'wait';
  }
  const limit = cursor.at + maxTentative - buffer.length;
  reader.bufferTo(Math.min(skipSpace(cursor.text, cursor.at), limit));
  if (buffer.length >= maxTentative) return 'scan';
  if (cursor.isAtEnd) return reader.ended ? 'scan' : 'wait';
  return verdictAfter(reader, values, frameClose);
}

/** Decides after a complete value: its closer, or what may follow it, must come. */
function verdictAfter(
  reader: Reader,
  values: ValueStack<State>,
  frameClose: string,
): 'wait' | 'scan' | 'text' {
  const closed = closerPartsEnd(reader, valueCloser(values, frameClose));
  if (closed === undecided) return 'wait';
  if (closed !== absent) return 'scan';
  const verdict = continues(reader, reader.cursor.at, values.place.continuations);
  if (verdict === undecided) return 'wait';
  return verdict === absent ? 'text' : 'scan';
}
