/** Reads ahead whether a complete and valid call follows a special token that opens calls in a code span. */
import type { CompiledTransition } from '../markers/compiled-transition.ts';
import { absent, undecided } from '../markers/markers.ts';
import type { Reader, State } from '../reader.ts';
import { silentReader } from '../silent-reader.ts';
import type { CallAhead } from '../steps/step-progress.ts';

/** Longer calls (in units) are not read ahead. */
const maxCall = 1 << 20;

/** The call after a marker, as far as it has come. */
export class CallInSpan implements CallAhead {
  readonly kind = 'call-in-span';
  readonly opener: number;
  private readonly closer: string;
  private readonly trial: Reader;
  private readonly from: number;
  private readTo: number;
  private calls = 0;
  private isBroken = false;
  /** After the latest closer. */
  private closedAt: number | null = null;
  private callEnd: number | null = null;

  /** `at` and `end`: the positions of the marker. */
  constructor(
    reader: Reader,
    choice: Pick<CompiledTransition<State>, 'next' | 'trailingSpace'> & { readonly blockEnd: string },
    at: number,
    end: number,
  ) {
    const { cursor } = reader;
    this.opener = cursor.offsetOf(at);
    this.closer = choice.blockEnd.trim();
    this.from = cursor.offsetOf(end);
    this.readTo = this.from;
    this.trial = silentReader(reader, choice.next, this.from, { space: choice.trailingSpace });
  }

  /** Position after the closer of the call; `absent` if it is not complete and as the format writes it, or `undecided`. */
  end(reader: Reader): number {
    const { base, text } = reader.cursor;
    let found = 0;
    while (this.callEnd === null && !this.isBroken && found !== -1) {
      const searched = Math.max(this.from, this.readTo - this.closer.length + 1) - base;
      found = text.indexOf(this.closer, searched);
      const to = found === -1 ? text.length : found + this.closer.length;
      this.readUpTo(reader, base + to);
      if (found !== -1) this.closedAt = base + to;
      this.noteEvents();
    }
    if (reader.ended && this.callEnd === null) {
      this.trial.cursor.end(false);
      this.trial.read('', false);
      this.noteEvents();
    }
    if (this.callEnd !== null) return this.callEnd - base;
    return this.isBroken || reader.ended || this.readTo - this.from > maxCall ? absent : undecided;
  }

  private readUpTo(reader: Reader, to: number): void {
    for (const { text, special } of reader.piecesBetween(this.readTo, to)) this.trial.read(text, special);
    this.readTo = to;
  }

  /** Takes note of what has been read. Whether a value ends at closers may be clear only after them. */
  private noteEvents(): void {
    for (const { type } of this.trial.writer.take()) {
      if (type === 'tool-call') this.calls += 1;
      if (type === 'malformed' || type === 'repaired') this.isBroken = true;
      if (type === 'text-start' && this.closedAt === null) this.isBroken = true;
    }
    if (this.calls > 0 && !this.trial.inCall && !this.isBroken) this.callEnd = this.closedAt;
  }
}
