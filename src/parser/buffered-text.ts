/** Text that has been consumed but not emitted, because later text decides what it is. */
import { TextBlocks } from './markers/text-blocks.ts';

/** One stretch of the response; see the top of this file. */
export class BufferedText {
  private readonly blocks = new TextBlocks();
  private first = 0;

  get isEmpty(): boolean {
    return this.blocks.length === 0;
  }

  get length(): number {
    return this.blocks.length;
  }

  /** Offset of its first character. */
  get start(): number {
    return this.first;
  }

  /** Appends the text at `offset`. */
  append(text: string, offset: number): void {
    if (this.isEmpty) this.first = offset;
    this.blocks.append(text);
  }

  /** Sets the offset at which the next text begins; the buffer must be empty. */
  startAt(offset: number): void {
    if (this.isEmpty) this.first = offset;
  }

  /** Empties the buffer and returns its text. */
  take(): string {
    const text = this.blocks.toString();
    this.blocks.clear();
    return text;
  }

  /** Its last `length` units; `length` is at most a block of `TextBlocks`. */
  last(length: number): string {
    return this.blocks.last(length);
  }

  toString(): string {
    return this.blocks.toString();
  }
}
