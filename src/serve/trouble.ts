/** What these APIs have no field for: text that does not fit the model's format, and repairs. */
import type { Malformed, Repaired, ResponseEvent, ResponseMessage } from '../parser/events.ts';

/** An additional field of responses; absent if there is nothing to report. */
export interface Trouble {
  readonly idiolect?: { readonly malformed: readonly object[]; readonly repaired: readonly object[] };
}

/** Those of a whole message. */
export function troubleOf({ malformed = [], repaired = [] }: ResponseMessage): Trouble {
  if (malformed.length === 0 && repaired.length === 0) return {};
  return { idiolect: { malformed: malformed.map(malformedFacts), repaired: repaired.map(repairFacts) } };
}

/** Collects those of a stream. */
export class TroubleLog {
  readonly #malformed: Malformed[] = [];
  readonly #repaired: Repaired[] = [];

  /** Records an event. */
  note(event: ResponseEvent): void {
    if (event.type === 'malformed') this.#malformed.push(event);
    if (event.type === 'repaired') this.#repaired.push(event);
  }

  /** What was collected so far. */
  get found(): Trouble {
    return troubleOf({
      role: 'assistant',
      content: null,
      malformed: this.#malformed,
      repaired: this.#repaired,
    });
  }
}

function malformedFacts({ reason, raw, expected, toolCallId }: Malformed): object {
  return { reason, raw, expected, ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }) };
}

function repairFacts({ law, detail, toolCallId }: Repaired): object {
  return { law, detail, ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }) };
}
