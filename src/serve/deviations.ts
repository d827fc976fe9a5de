/** Deviations from the model's format, for which these APIs have no field: malformed text, and repairs. */
import { withoutUndefined } from '../format/option-rules.ts';
import type { Malformed, Repaired, ResponseEvent, ResponseMessage } from '../parser/events.ts';

/** An additional field of responses; absent if there is nothing to report. */
export interface Deviations {
  readonly idiolect?: { readonly malformed: readonly object[]; readonly repaired: readonly object[] };
}

/** The deviations of a whole message. */
export function deviationsOf({ malformed = [], repaired = [] }: ResponseMessage): Deviations {
  if (malformed.length === 0 && repaired.length === 0) return {};
  return { idiolect: { malformed: malformed.map(malformedFacts), repaired: repaired.map(repairFacts) } };
}

/** Collects the deviations of a stream. */
export class DeviationLog {
  readonly #malformed: Malformed[] = [];
  readonly #repaired: Repaired[] = [];

  /** Records an event. */
  note(event: ResponseEvent): void {
    if (event.type === 'malformed') this.#malformed.push(event);
    if (event.type === 'repaired') this.#repaired.push(event);
  }

  /** What was collected so far. */
  get found(): Deviations {
    return deviationsOf({
      role: 'assistant',
      content: null,
      malformed: this.#malformed,
      repaired: this.#repaired,
    });
  }
}

function malformedFacts({ reason, raw, expected, toolCallId, brokenCall }: Malformed): object {
  return withoutUndefined({
    reason,
    raw,
    expected,
    tool_call_id: toolCallId,
    call: brokenCall && { name: brokenCall.toolName, arguments: brokenCall.input },
  });
}

function repairFacts({ law, detail, toolCallId }: Repaired): object {
  return withoutUndefined({ law, detail, tool_call_id: toolCallId });
}
