/**
 * The fast path: while the reader is inside text or a string, a piece of plain text becomes one event without
 * running a state.
 */
import type { Cursor } from './cursor.ts';
import type { ResponseEvent } from './events.ts';
import type { PlainRun } from './markers/plain-run.ts';
import { deltaEvent, type EmitTarget } from './writer/edge-events.ts';
import type { EventWriter } from './writer/event-writer.ts';

/** Where the text is; raw strings are escaped into JSON. */
type TextKind = 'text' | 'raw-string' | 'json-string';

/** Up to this length, text at the end of a piece that may begin a marker is examined again. */
const maxTail = 8;

/** See the top of this file. */
export class FastPath {
  private readonly cursor: Cursor;
  private readonly writer: EventWriter;
  /** Whether every first character of a marker may wait for more text. */
  private readonly firstsWait: boolean;
  private plainRun: PlainRun | null = null;
  private within: TextKind = 'text';
  private target: EmitTarget | null = null;

  constructor(cursor: Cursor, writer: EventWriter, firstsWait: boolean) {
    this.cursor = cursor;
    this.writer = writer;
    this.firstsWait = firstsWait;
  }

  /** Whether pieces can be read here now. */
  get isOpen(): boolean {
    return this.plainRun !== null;
  }

  /** Whether the fast path read JSON that the scanner has not seen. */
  get isInJson(): boolean {
    return this.plainRun !== null && this.within === 'json-string';
  }

  /** Opens the fast path: more plain text is expected. */
  open(plainRun: PlainRun, within: TextKind): void {
    const { cursor, writer } = this;
    if (writer.target === null || !writer.calls.inputFlows || cursor.text.length - cursor.at > maxTail)
      return;
    this.target = writer.target;
    this.within = within;
    this.plainRun = plainRun;
  }

  close(): void {
    this.plainRun = null;
  }

  /** Reads a piece and returns its one event; `null` if a state must read it. */
  read(piece: string): readonly ResponseEvent[] | null {
    const { plainRun, target, cursor } = this;
    if (plainRun === null || target === null) return null;
    if (cursor.text.length > 0 || !plainRun.appendPlain(piece, target.text)) {
      return this.readClosely(piece, plainRun, target);
    }
    const start = cursor.base;
    cursor.skipAhead(piece.length, '');
    return [deltaEvent(target, piece, start, start + piece.length)];
  }

  /** The same for a piece whose last unit may have to wait, or whose text is escaped in the event. */
  private readClosely(
    piece: string,
    plainRun: PlainRun,
    target: EmitTarget,
  ): readonly ResponseEvent[] | null {
    const { cursor } = this;
    const whole = cursor.text + piece;
    const length = plainRun.plainEnd(whole, this.firstsWait);
    if (length <= 0) return null;
    const isAll = length === whole.length;
    const plain = isAll ? whole : whole.slice(0, length);
    const start = cursor.base;
    cursor.skipAhead(length, isAll ? '' : whole.slice(length));
    const delta = this.within === 'raw-string' ? target.text.appendEscaped(plain) : plain;
    if (this.within !== 'raw-string') target.text.append(plain);
    return [deltaEvent(target, delta, start, start + length)];
  }
}
