/** Text that has been consumed but not emitted, because what it is depends on what follows. */
import { TextBlocks } from './markers/text-blocks.ts';

/** See the top of this file. It is one stretch of the response. */
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

  /** Adds the text that stands at `offset`, after what is there. */
  append(text: string, offset: number): void {
    if (this.isEmpty) this.first = offset;
    this.blocks.append(text);
  }

  /** Nothing is there yet; what is added begins at `offset`. */
  startAt(offset: number): void {
    if (this.isEmpty) this.first = offset;
  }

  /** Empties the buffer, and returns what was in it. */
  take(): string {
    const text = this.blocks.toString();
    this.blocks.clear();
    return text;
  }

  toString(): string {
    return this.blocks.toString();
  }
}
