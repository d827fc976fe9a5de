/**
 * The unread text and the reading position in it. A *position* is an index into that text; an *offset* counts
 * UTF-16 units from the beginning of the response, and is negative inside the prompt.
 */
export class Cursor {
  private window = '';
  private position = 0;
  private origin: number;
  private isOver = false;
  private wasCut = false;

  /** `origin`: the offset of the first character. */
  constructor(origin: number) {
    this.origin = origin;
  }

  /** Unread text, possibly with some consumed text in front. */
  get text(): string {
    return this.window;
  }

  /** The reading position in `text`. */
  get at(): number {
    return this.position;
  }

  /** Offset of the first character of `text`. */
  get base(): number {
    return this.origin;
  }

  /** Offset of the reading position. */
  get offset(): number {
    return this.origin + this.position;
  }

  /** Whether all text so far has been consumed. */
  get isAtEnd(): boolean {
    return this.position === this.window.length;
  }

  /** Whether the response is over. */
  get ended(): boolean {
    return this.isOver;
  }

  /** Whether the response was cut off by a limit instead of being ended by the model. */
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

  /** Drops consumed text. */
  dropConsumed(): void {
    this.window = this.isAtEnd ? '' : this.window.slice(this.position);
    this.origin += this.position;
    this.position = 0;
  }

  /** Drops consumed text and appends `piece`. */
  append(piece: string): void {
    this.dropConsumed();
    this.window += piece;
  }

  /** Puts consumed text back in front of the reading position, to be read again. */
  rewind(consumed: string): void {
    this.origin = this.offset - consumed.length;
    const start = this.position - consumed.length;
    // If the text is still in the window, moving back is enough; joining would copy everything after it each time.
    const isAtHand = start >= 0 && this.window.startsWith(consumed, start);
    this.window = isAtHand ? this.window.slice(start) : consumed + this.window.slice(this.position);
    this.position = 0;
  }

  /** Skips `length` units from `base` on that were read without the cursor; `rest` comes next. */
  skipAhead(length: number, rest: string): void {
    this.origin += length;
    this.window = rest;
  }

  /** Marks the end of the response. */
  end(cutShort: boolean): void {
    this.isOver = true;
    this.wasCut = cutShort;
  }
}
