/** Calls with a single argument, rendered to see how its value is written. */
import type { JsonValue } from '../../format/messages.ts';
import { keyPlaceholder } from '../probes/placeholders.ts';
import { valueProbe } from '../probes/probes.ts';
import type { CallsInput } from './calls-input.ts';

/** What the values of arguments are read from. */
export interface ArgumentsInput extends CallsInput {
  /** What follows the last entry, up to the end of the turn. */
  readonly after: string;
}

/**
 * What stands from after the key to the end of its entry when a call gives `value` to `key`, with placeholders
 * where the key comes again. Empty where the template drops the argument, `null` where it refuses the call.
 * The probe is called `value-` and `label`.
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
