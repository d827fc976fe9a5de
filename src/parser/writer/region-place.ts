/** Where the text of one region is in the response. */

/** See the top of this file. */
export class RegionPlace {
  private readonly start: number;
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

  /** Where the text ends if the region ends at `at`, perhaps after what is no text. */
  endBefore(at: number): number {
    return this.gaps.reduceRight((end, { start, length }) => (start + length === end ? start : end), at);
  }

  /** The offset of a position in the text. */
  offsetOf(position: number): number {
    let offset = this.start + position;
    for (const { start, length } of this.gaps) if (start <= offset) offset += length;
    return offset;
  }
}
