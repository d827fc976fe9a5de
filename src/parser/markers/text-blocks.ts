/** Text that grows in small pieces. */

/** Pieces are joined into blocks of about this many UTF-16 units. */
const blockLength = 1024;

/**
 * An accumulator for text that arrives in small pieces. A plain `+=` over megabytes keeps a rope of all pieces
 * alive (ten times the text); this one flattens each kilobyte.
 */
export class TextBlocks {
  private blocks: string[] = [];
  private tail = '';
  private blockUnits = 0;

  /** UTF-16 units so far. */
  get length(): number {
    return this.blockUnits + this.tail.length;
  }

  append(piece: string): void {
    this.tail += piece;
    if (this.tail.length >= blockLength) this.flatten();
  }

  clear(): void {
    this.blocks = [];
    this.tail = '';
    this.blockUnits = 0;
  }

  /** The last `length` units, at most a block. */
  last(length: number): string {
    const { tail, blocks } = this;
    return tail.length >= length ? tail.slice(-length) : ((blocks.at(-1) ?? '') + tail).slice(-length);
  }

  toString(): string {
    return this.blocks.length === 0 ? this.tail : this.blocks.join('') + this.tail;
  }

  /** Reading a character makes the engine flatten the rope. */
  private flatten(): void {
    this.tail.charCodeAt(0);
    this.blocks.push(this.tail);
    this.blockUnits += this.tail.length;
    this.tail = '';
  }
}
