/** Where the text of one region is in the response. */

/** See the top of this file. */
export class RegionPlace {
  private readonly start: number;
  /** Where the answer's text ends, once it has been left, and nothing of it has come since. */
  private left: number | null = null;
  private textEnd = Number.NEGATIVE_INFINITY;
  /** Stretches of the response that are no text of the region, in order. */
  private readonly gaps: { readonly start: number; readonly length: number }[] = [];

  /** `start`: the offset of its first character. */
  constructor(start: number) {
    this.start = start;
  }

  /** Takes note of a stretch that is no text. */
  skipped(start: number, end: number): void {
    this.gaps.push({ start, length: end - start });
  }

  /** The text is left at `at`, and may go on later. Thoughts are none of the answer. */
  leave(at: number, isThought: boolean): void {
    if (!isThought) this.textEnd = this.endBefore(at);
    this.left = this.textEnd;
  }

  /** More of the answer's text comes. */
  resume(): void {
    this.left = null;
  }

  /** Where the text ends if the region ends at `at`, perhaps after what is no text. */
  endBefore(at: number): number {
    if (this.left !== null) return this.left;
    return this.gaps.reduceRight((end, { start, length }) => (start + length === end ? start : end), at);
  }

  /** The offset of a position in the text. */
  offsetOf(position: number): number {
    let offset = this.start + position;
    for (const { start, length } of this.gaps) if (start <= offset) offset += length;
    return offset;
  }
}
