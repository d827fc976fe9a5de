/** JSON of a call's arguments, and the stretches of the response that its deltas cover. */
import type { Cursor } from './cursor.ts';
import type { EventWriter } from './event-writer.ts';

/** See the top of this file. */
export class InputEmitter {
  private readonly cursor: Cursor;
  private readonly writer: EventWriter;
  /** Offset up to which deltas cover the response. */
  private covered = 0;
  /** Text that was consumed after it, and is in no event yet. */
  private pending = '';

  constructor(cursor: Cursor, writer: EventWriter) {
    this.cursor = cursor;
    this.writer = writer;
  }

  /** JSON of the arguments, or of a value in them, begins where reading stands. */
  begin(): void {
    this.covered = this.cursor.offset;
    this.pending = '';
  }

  /** Everything up to `base` is in deltas. */
  get isSettled(): boolean {
    return this.pending === '';
  }

  /** Deltas cover the response up to where reading stands. */
  coverAll(): void {
    this.covered = this.cursor.offset;
  }

  /** Consumes text up to `end`, whose JSON is `json`; the tail `pending` of the text is not in it yet. */
  emit(json: string, end: number, pending: string): void {
    const { cursor } = this;
    if (json === '') {
      this.pending += cursor.text.slice(cursor.at, end);
    } else {
      const stop = cursor.offsetOf(end) - pending.length;
      this.writer.input(json, this.covered, stop);
      this.covered = stop;
      this.pending = pending;
    }
    cursor.moveTo(end);
  }

  /** Text that was consumed and turned out to be no JSON. */
  takePending(): string {
    const { pending } = this;
    this.pending = '';
    return pending;
  }
}
