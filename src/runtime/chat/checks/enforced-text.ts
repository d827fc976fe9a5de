/** Which stretches of a response its grammar wrote. */
import type { Provenance } from '../../../parser/provenance.ts';

interface Stretch {
  readonly start: number;
  /** Infinite while the grammar is in force. */
  end: number;
}

/** Follows the grammar of one response. All positions are offsets into the response. */
export class EnforcedText implements Provenance {
  /** Tools whose schemas their grammar does not enforce in full; empty for the answer's. */
  readonly #widened: ReadonlySet<string>;
  #stretches: Stretch[] = [];
  #read: (start: number, end: number) => string = () => '';

  constructor(widened: ReadonlySet<string>) {
    this.#widened = widened;
  }

  /** Starts over with a response whose text `read` returns. */
  reset(read: (start: number, end: number) => string): void {
    this.#stretches = [];
    this.#read = read;
  }

  /** The grammar allows the text from `start` on. */
  begin(start: number): void {
    this.end(start);
    this.#stretches.push({ start, end: Number.POSITIVE_INFINITY });
  }

  /** The grammar is no longer in force at `end`, or has lost the text there. */
  end(end: number): void {
    const last = this.#stretches.at(-1);
    if (last !== undefined && last.end > end) last.end = end;
  }

  /** Whether the grammar allowed all text from `start` to `end`. */
  covers(start: number, end: number): boolean {
    return this.#stretches.some((stretch) => stretch.start <= start && end <= stretch.end);
  }

  isEnforced(toolName: string, start: number, end: number): boolean {
    return !this.#widened.has(toolName) && this.covers(start, end);
  }

  textOf(start: number, end: number): string {
    return this.#read(start, end);
  }
}
