/**
 * A value that contains its own closer: it quotes the closer, or a marker of the next argument is missing after it.
 * Both look alike, so signs of the latter are reported: the name of an argument that the call lacks, a closer that does
 * not occur in text, or all closers of the call at the value's end, which the model may have written twice.
 */
import { repair } from '../../leniency/law-table.ts';
import type { Reader, State } from '../../reader.ts';
import { propertyNames } from '../schema-place.ts';
import type { ValueProgress } from '../step-progress.ts';
import { minMarker, otherEnds } from './other-ends.ts';
import type { ValueStack } from './value-stack.ts';

/** Reports signs of a missing marker in the text of a value after its first refused closer. */
export function noteHeldCloser(
  reader: Reader,
  values: ValueStack<State>,
  { frame, calls, unopened }: ValueProgress,
  text: string,
): void {
  if (!reader.allows('unclosed')) return;
  const named = nextName(reader, values, text);
  if (named !== undefined) reader.noteRepair(repair('unclosed', 'heldBefore', values.key, named));
  else if (unopened === 'none' || frame.close.trim().length >= minMarker || calls?.endsPassed(text) === true)
    reader.noteRepair(repair('unclosed', 'held', values.key));
}

/** A property of the enclosing object that occurs in the text, but not as a whole entry. */
function nextName({ call }: Reader, { place, outer }: ValueStack<State>, text: string): string | undefined {
  const around = place.kind === 'entry' ? call.parameters : outer?.schema;
  if (around === undefined || otherEnds(place).some((each) => text.includes(each))) return undefined;
  const words = new Set(text.match(/[\p{L}\p{N}_.$-]+/gu));
  return propertyNames(around).find((name) => words.has(name) && !call.entryNames.has(name));
}
