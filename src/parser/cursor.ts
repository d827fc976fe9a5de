/**
 * The text at hand, and where reading stands in it. A *position* is an index into that text; an *offset* counts
 * UTF-16 units from the beginning of the response, and is negative in what the prompt wrote.
 */
export class Cursor {
  private window = '';
  private position = 0;
  private origin: number;
  private isOver = false;
  private wasCut = false;

  /** `origin`: the offset of the first character that will be read. */
  constructor(origin: number) {
    this.origin = origin;
  }

  /** What is not consumed yet, and perhaps some of what is. */
  get text(): string {
    return this.window;
  }

  /** Where reading stands in `text`. */
  get at(): number {
    return this.position;
  }

  /** Offset of the first character of `text`. */
  get base(): number {
    return this.origin;
  }

  /** Offset of the place where reading stands. */
  get offset(): number {
    return this.origin + this.position;
  }

  /** All text at hand has been consumed. */
  get isAtEnd(): boolean {
    return this.position === this.window.length;
  }

  /** No more text will come. */
  get ended(): boolean {
    return this.isOver;
  }

  /** The text ended because no more of it was allowed, not because the model had written all. */
  get cutShort(): boolean {
    return this.wasCut;
  }

  /** Offset of a position. */
  offsetOf(position: number): number {
    return this.origin + position;
  }

  /** Consumes text up to `position`. */
  moveTo(position: number): void {
    this.position = position;
  }

  /** Forgets what has been consumed. */
  dropConsumed(): void {
    this.window = this.isAtEnd ? '' : this.window.slice(this.position);
    this.origin += this.position;
    this.position = 0;
  }

  /** Forgets what has been consumed, and adds text at the end. */
  append(piece: string): void {
    this.dropConsumed();
    this.window += piece;
  }

  /** Consumed text is put back before the place where reading stands, to be read again. */
  rewind(consumed: string): void {
    this.origin = this.offset - consumed.length;
    const start = this.position - consumed.length;
    // Where it is still at hand, a part of the same text does: to join would copy all that follows, each time.
    const isAtHand = start >= 0 && this.window.startsWith(consumed, start);
    this.window = isAtHand ? this.window.slice(start) : consumed + this.window.slice(this.position);
    this.position = 0;
  }

  /** `length` units from `base` on have been read without the cursor; `rest` comes next. */
  passOver(length: number, rest: string): void {
    this.origin += length;
    this.window = rest;
  }

  /** No more text will come. */
  end(cutShort: boolean): void {
    this.isOver = true;
    this.wasCut = cutShort;
  }
}
