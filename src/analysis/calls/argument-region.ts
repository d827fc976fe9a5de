/** Renders calls with a single argument, to show how its value is written. */
import type { JsonValue } from '../../format/messages.ts';
import { keyPlaceholder } from '../probes/placeholders.ts';
import { valueProbe } from '../probes/probes.ts';
import type { CallsInput } from './calls-input.ts';

/** The input for reading the values of arguments. */
export interface ArgumentsInput extends CallsInput {
  /** The text after the last entry, up to the end of the turn. */
  readonly after: string;
  /** Arguments stand in parentheses: `f(a=1)`. */
  readonly isPythonic: boolean;
}

/**
 * The text from after the key to the end of its entry, in a call with `value` for `key`; placeholders replace
 * repetitions of the key. Empty if the template drops the argument, `null` if it refuses the call. The probe's id is
 * `value-` and `label`.
 */
export function argumentRegion(
  { prober, after }: ArgumentsInput,
  key: string,
  value: JsonValue,
  label: string,
): string | null {
  const { sentinels } = prober;
  const turn = prober.turn(valueProbe(sentinels, key, value, label));
  if (turn === null || !turn.endsWith(after)) return null;
  const name = turn.indexOf(sentinels.names[0]);
  const at = turn.indexOf(key, Math.max(0, name));
  if (at < 0) return '';
  return turn.slice(at + key.length, turn.length - after.length).replaceAll(key, keyPlaceholder);
}
