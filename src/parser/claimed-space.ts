/** White space that belongs to the marker before it, as far as it comes. */
import type { Cursor } from './cursor.ts';

/** What passes white space as part of a marker. */
interface Skipping {
  readonly cursor: Cursor;
  readonly ended: boolean;
  skip(end: number): void;
}

/** See the top of this file. */
export class ClaimedSpace {
  /** What may still come of it. */
  space: string;

  constructor(space: string) {
    this.space = space;
  }

  /** Consumes it; false while more of it may come. A carriage return before a claimed line feed belongs to it. */
  pass(reader: Skipping): boolean {
    const { cursor } = reader;
    while (this.space !== '') {
      if (cursor.isAtEnd) return reader.ended;
      const next = cursor.text.charAt(cursor.at);
      if (next === '\r' && this.space.startsWith('\n')) {
        if (cursor.at + 1 === cursor.text.length && !reader.ended) return false;
        if (cursor.text[cursor.at + 1] !== '\n') break;
        reader.skip(cursor.at + 1);
      } else if (next !== this.space[0]) {
        break;
      }
      reader.skip(cursor.at + 1);
      this.space = this.space.slice(1);
    }
    this.space = '';
    return true;
  }
}
