/** Emits the JSON of a call's arguments as deltas that cover stretches of the response. */

import type { Cursor } from './cursor.ts';
import type { CallWriter } from './writer/call-writer.ts';

/** The beginning of a number, `true` or `false`, which a scanner holds until it is complete. */
const beginsValue = /^[-+.\dtfTF]/;

/** See the top of this file. */
export class InputEmitter {
  private readonly cursor: Cursor;
  private readonly calls: CallWriter;
  /** Offset up to which deltas cover the response. */
  private covered = 0;
  /** Text consumed after `covered` that is in no event yet. */
  private pending = '';

  constructor(cursor: Cursor, calls: CallWriter) {
    this.cursor = cursor;
    this.calls = calls;
  }

  /** Begins at the reading position: arguments, or a value in them. */
  begin(): void {
    this.covered = this.cursor.offset;
    this.pending = '';
  }

  /** Whether deltas cover everything up to `base`. */
  get isSettled(): boolean {
    return this.pending === '';
  }

  /** Extends the covered stretch to the reading position. */
  coverAll(): void {
    this.covered = this.cursor.offset;
  }

  /** Consumes text up to `end` and emits `json` for it, which does not include the tail `pending` of that text yet. */
  emit(json: string, end: number, pending: string): void {
    const { cursor } = this;
    if (json === '') {
      this.pending += cursor.text.slice(cursor.at, end);
    } else {
      const stop = cursor.offsetOf(end) - pending.length;
      this.calls.input(json, this.covered, stop);
      this.covered = stop;
      this.pending = pending;
    }
    if (beginsValue.test(pending)) this.calls.expectValue(this.covered);
    cursor.moveTo(end);
  }

  /** Returns consumed text that turned out not to be JSON. */
  takePending(): string {
    const { pending } = this;
    this.pending = '';
    return pending;
  }
}
