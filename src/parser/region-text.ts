/** The text of one region, and where it is in the response. */
import { WrittenText } from './markers/written-text.ts';

/** See the top of this file. */
export class RegionText {
  readonly written: WrittenText;
  private readonly start: number;
  /** Stretches of the response that are no text of the region, in order. */
  private readonly gaps: { readonly start: number; readonly length: number }[] = [];

  /** `start`: the offset of its first character. `keeps`: whether the text will be read. */
  constructor(start: number, keeps: boolean) {
    this.start = start;
    this.written = new WrittenText(keeps);
  }

  /** Takes note of a stretch that is no text. */
  skipped(start: number, end: number): void {
    this.gaps.push({ start, length: end - start });
  }

  /** The offset of a position in the text. */
  offsetOf(position: number): number {
    let offset = this.start + position;
    for (const { start, length } of this.gaps) if (start <= offset) offset += length;
    return offset;
  }
}
