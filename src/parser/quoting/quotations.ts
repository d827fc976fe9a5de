/** What the text at a position of the reader is quoted in. */
import type { Cursor } from '../cursor.ts';
import type { SpecialSpans } from '../markers/special-spans.ts';
import type { KeptMessage } from '../writer/kept-message.ts';
import type { QuotedText } from './quoted-text.ts';

type ReadRegion = 'text' | 'reasoning';

/** See the top of this file. */
export class Quotations {
  private readonly cursor: Cursor;
  private readonly kept: KeptMessage;
  /** The place last asked for. It is kept, because markers come in order. */
  private latest: {
    readonly region: ReadRegion;
    readonly from: number;
    to: number;
    quoted: QuotedText;
  } | null = null;

  private readonly special: SpecialSpans;
  /** Up to this offset, quoted markers have been reported. */
  private reportedTo = Number.NEGATIVE_INFINITY;

  constructor(cursor: Cursor, kept: KeptMessage, special: SpecialSpans) {
    this.cursor = cursor;
    this.kept = kept;
    this.special = special;
  }

  /** Whether a text ends with a special token that was spelled out: what it opens is text, too. */
  isAfterSpelledToken(quoted: QuotedText): boolean {
    return quoted.endsWith(this.special.tokens);
  }

  /** Whether a marker at the reading position has not been reported yet; it is now. */
  isNew(): boolean {
    const { offset } = this.cursor;
    if (offset < this.reportedTo) return false;
    this.reportedTo = offset + 1;
    return true;
  }

  /** The text of the region up to the position `at`, which is in the unread text. */
  before(region: ReadRegion, at: number): QuotedText {
    const { cursor, latest } = this;
    const to = cursor.offsetOf(at);
    if (latest !== null && latest.region === region && latest.from === cursor.offset && latest.to <= to) {
      latest.quoted.read(cursor.text.slice(latest.to - cursor.base, at));
      latest.to = to;
      return latest.quoted;
    }
    const quoted = this.kept.quoted(region).copy();
    quoted.read(cursor.text.slice(cursor.at, at));
    this.latest = { region, from: cursor.offset, to, quoted };
    return quoted;
  }

  /** Something else than text begins at the reading position. */
  interrupt(): void {
    this.latest = null;
    this.kept.quoted('text').interrupt();
  }

  /** An answer in JSON begins at the reading position. */
  beginJson(): void {
    this.latest = null;
    this.kept.quoted('text').beginJson();
  }

  /** Keeps quotation marks at the reading position open over the end of the line. */
  hold(region: ReadRegion): void {
    this.latest = null;
    this.kept.quoted(region).holdMarks();
  }
}
