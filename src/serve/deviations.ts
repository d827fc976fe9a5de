/** Deviations from the model's format, for which these APIs have no field: malformed text, and repairs. */
import { withoutUndefined } from '../format/option-rules.ts';
import type { Malformed, PossibleCall, Repaired, ResponseEvent, ResponseMessage } from '../parser/events.ts';

/** An additional field of responses; absent if there is nothing to report. */
export interface Deviations {
  readonly idiolect?: {
    readonly malformed: readonly object[];
    readonly repaired: readonly object[];
    /** Absent if there are none. */
    readonly possible_calls?: readonly object[];
  };
}

/** The deviations of a whole message. */
export function deviationsOf({
  malformed = [],
  repaired = [],
  possible_calls: possible = [],
}: ResponseMessage): Deviations {
  if (malformed.length + repaired.length + possible.length === 0) return {};
  return {
    idiolect: {
      malformed: malformed.map(malformedFacts),
      repaired: repaired.map(repairFacts),
      ...(possible.length === 0 ? {} : { possible_calls: possible.map(possibleFacts) }),
    },
  };
}

/** Collects the deviations of a stream. */
export class DeviationLog {
  readonly #malformed: Malformed[] = [];
  readonly #repaired: Repaired[] = [];
  readonly #possible: PossibleCall[] = [];

  /** Records an event. */
  note(event: ResponseEvent): void {
    if (event.type === 'malformed') this.#malformed.push(event);
    if (event.type === 'repaired') this.#repaired.push(event);
    if (event.type === 'possible-call') this.#possible.push(event);
  }

  /** What was collected so far. */
  get found(): Deviations {
    return deviationsOf({
      role: 'assistant',
      content: null,
      malformed: this.#malformed,
      repaired: this.#repaired,
      possible_calls: this.#possible,
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

function possibleFacts({ toolName, at }: PossibleCall): object {
  return { name: toolName, at };
}

function repairFacts({ law, detail, toolCallId }: Repaired): object {
  return withoutUndefined({ law, detail, tool_call_id: toolCallId });
}
