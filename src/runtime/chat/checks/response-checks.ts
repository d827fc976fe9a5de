/** The checks of a response while it is written: of values that no grammar can enforce, according to the report. */
import type { CheckedPlace } from '../../../json-schema/validate/checked-places.ts';
import type { ResponseEvent } from '../../../parser/events.ts';
import type { LibraryCheck } from '../../../tools/library-check.ts';
import { noPlace, ValueWatch, type WrongValue } from './value-watch.ts';

/** The checks for the arguments of tools, by name, and for the answer. */
export interface ResponseChecks {
  readonly tools: ReadonlyMap<string, CheckedPlace>;
  readonly answer: CheckedPlace | null;
  /** Libraries that are asked about the arguments of tools, by name, and about the answer, by the empty name. */
  readonly libraries?: ReadonlyMap<string, LibraryCheck>;
}

/** An invalid value. */
export interface CheckFailure extends WrongValue {
  /** Name of the tool; empty for an answer. */
  readonly tool: string;
}

interface WatchedCall {
  readonly tool: string;
  readonly watch: ValueWatch;
}

/** Follows the events of one response. */
export class CheckWatch {
  readonly #checks: ResponseChecks;
  #call: WatchedCall | null = null;
  readonly #answer: ValueWatch | null;

  constructor(checks: ResponseChecks) {
    this.#checks = checks;
    this.#answer = this.#watchOf('', checks.answer)?.watch ?? null;
  }

  /** Whether a value is open that will be checked when it closes, so its text may be revoked. */
  get pending(): boolean {
    return this.#call?.watch.pending === true || this.#answer?.pending === true;
  }

  /** Length of the value being read, as JSON. */
  get length(): number {
    return this.#call?.watch.length ?? this.#answer?.length ?? 0;
  }

  /** Why the value that `event` closes is invalid; `null` if it is valid, or no value closes. */
  follow(event: ResponseEvent): CheckFailure | null {
    switch (event.type) {
      case 'tool-input-start': {
        this.#call = this.#watchOf(event.toolName, this.#checks.tools.get(event.toolName));
        return null;
      }
      case 'tool-input-delta':
        return failureOf(this.#call?.tool ?? '', this.#call?.watch.feed(event.delta));
      case 'tool-input-end':
        this.#call = null;
        return null;
      case 'text-delta':
        return failureOf('', this.#answer?.feed(event.delta));
      case 'finish':
        return event.reason === 'length' ? null : failureOf('', this.#answer?.end());
      default:
        return null;
    }
  }

  #watchOf(tool: string, place: CheckedPlace | null | undefined): WatchedCall | null {
    const library = this.#checks.libraries?.get(tool) ?? null;
    if (place == null && library === null) return null;
    return { tool, watch: new ValueWatch(place ?? noPlace, library) };
  }
}

function failureOf(tool: string, wrong: WrongValue | null | undefined): CheckFailure | null {
  return wrong ? { tool, ...wrong } : null;
}
