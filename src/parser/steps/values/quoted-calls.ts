/**
 * A raw value may quote whole calls, or their ends: a coding agent writes tests of tool calls. In text alone, where no
 * grammar says what a closer closes, calls that are opened in the value are counted, and all closers of a call do not
 * end it if text goes on in their line.
 */
import type { Cursor } from '../../cursor.ts';
import type { KeyedText } from '../../state-tables.ts';

/** The markers of what a value quotes. */
export interface QuotedMarkers {
  readonly open: string;
  readonly close: string;
  /** Nothing counts after a closer of what was not opened in the value. */
  readonly closing?: KeyedText;
}

/** Where calls, or arguments, are quoted in a value that is read from the left. */
export class QuotedCalls {
  private readonly markers: QuotedMarkers;
  private depth = 0;
  /** A call has ended that was not opened in the value: perhaps the value's own, so what follows is no quotation. */
  private isOver = false;
  /** Another call has been opened after that. */
  private another = false;
  /** Offset of the text's end before closers that looked quoted, because text went on in their line. */
  private passed: number | null = null;
  /** Offsets of the first openers of the calls, and of the ends of their closers; the last may be open. */
  private readonly starts: number[] = [];
  private readonly ends: number[] = [];
  /** The end of the text so far: what may be the beginning of a marker. */
  private tail = '';
  /** Offset up to which the value has been read. */
  private readTo: number;

  constructor(markers: QuotedMarkers, from: number) {
    this.markers = markers;
    this.readTo = from;
  }

  /** Whether a quoted call is open at a position. */
  isOpenAt(cursor: Cursor, at: number): boolean {
    const to = cursor.offsetOf(at);
    // Text that was read without a look at it has no markers.
    if (this.readTo < cursor.base) this.tail = '';
    if (to > this.readTo) this.read(cursor.text.slice(Math.max(0, this.readTo - cursor.base), at), to);
    const index = this.starts.findLastIndex((start) => start < to);
    return index !== -1 && to < (this.ends[index] ?? Number.POSITIVE_INFINITY);
  }

  /** Closers of the call, after the value's text up to `end`, are passed as quoted. */
  pass(end: number): void {
    this.passed ??= end;
  }

  /** Whether closers were passed as quoted, and a value that goes on with `text` after the first of them ends with them. */
  endsPassed(text: string): boolean {
    const last = this.markers.closing?.at(-1);
    return this.passed !== null && typeof last === 'string' && text.trimEnd().endsWith(last);
  }

  /** Offset of the value's end, if closers that looked quoted turn out to be its own: another call begins after them. */
  get endBeforeAnother(): number | null {
    return this.another ? this.passed : null;
  }

  /** Whether the text so far may end within a marker: then the rest has to be looked at, too. */
  get mayEndInMarker(): boolean {
    const { open, close } = this.markers;
    return [open, close].some((marker) => {
      for (let length = marker.length - 1; length > 0; length -= 1) {
        if (this.tail.endsWith(marker.slice(0, length))) return true;
      }
      return false;
    });
  }

  private read(part: string, to: number): void {
    const { open, close } = this.markers;
    const whole = this.tail + part;
    const base = to - whole.length;
    let from = 0;
    while (!this.another) {
      const opened = whole.indexOf(open, from);
      if (this.isOver) {
        this.another = opened !== -1;
        break;
      }
      const closed = whole.indexOf(close, from);
      if (opened === -1 && closed === -1) break;
      if (opened !== -1 && (closed === -1 || opened < closed)) {
        if (this.depth++ === 0) this.starts.push(base + opened);
        from = opened + open.length;
      } else {
        from = closed + close.length;
        this.isOver = this.depth === 0 && this.markers.closing !== undefined;
        if (this.depth > 0 && --this.depth === 0) this.ends.push(base + from);
      }
    }
    const longest = Math.max(open.length, close.length) - 1;
    this.tail = whole.slice(Math.max(from, whole.length - longest));
    this.readTo = to;
  }
}
