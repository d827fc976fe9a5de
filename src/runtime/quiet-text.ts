/** Tells in a glance whether a short piece of text can matter to the markers that are waited for. */

/** Pieces up to this length are looked at unit by unit; longer ones are searched. */
const shortPiece = 32;

/** With more kinds of loud characters than this, long pieces are not worth a glance. */
const fewFirsts = 6;

const loudAnywhere = 1;
const loudAtEnd = 2;

/** What is loud: first characters of markers, white space that a marker may claim, halves of characters. */
export class QuietText {
  /** For units below 256: 0, `loudAnywhere` or `loudAtEnd`. */
  private readonly loudness = new Uint8Array(256);
  private readonly loudBeyond: string;
  private readonly firsts: readonly string[];

  /** `firsts`: first characters of markers. `spaces`: white space that may belong to a marker in front. */
  constructor(firsts: readonly string[], spaces: string) {
    this.firsts = firsts;
    this.loudBeyond = firsts.filter((first) => first.charCodeAt(0) >= 256).join('');
    for (const space of spaces) this.loudness[space.charCodeAt(0)] = loudAtEnd;
    for (const first of firsts) {
      if (first.charCodeAt(0) < 256) this.loudness[first.charCodeAt(0)] = loudAnywhere;
    }
  }

  /** Whether `piece` is plain text to its very end, so that nothing of it has to be held. */
  isQuiet(piece: string): boolean {
    const { length } = piece;
    if (length === 0 || length > shortPiece) return length > 0 && this.isQuietLong(piece);
    const { loudness } = this;
    let loud = 0;
    for (let at = 0; at < length; at++) {
      const unit = piece.charCodeAt(at);
      loud = unit < 256 ? (loudness[unit] ?? 0) : this.loudnessBeyond(unit);
      if (loud === loudAnywhere) return false;
    }
    return loud === 0;
  }

  private isQuietLong(piece: string): boolean {
    if (this.firsts.length > fewFirsts) return false;
    const last = piece.charCodeAt(piece.length - 1);
    const atEnd = last < 256 ? this.loudness[last] : this.loudnessBeyond(last);
    return atEnd === 0 && !this.firsts.some((first) => piece.includes(first));
  }

  private loudnessBeyond(unit: number): number {
    if (unit >= 0xd800 && unit <= 0xdbff) return loudAtEnd;
    if (this.loudBeyond === '') return 0;
    return this.loudBeyond.includes(String.fromCharCode(unit)) ? loudAnywhere : 0;
  }
}

const controls = Array.from({ length: 32 }, (_, unit) => String.fromCharCode(unit));

/** Inside a JSON string: quotes, backslashes and control characters are loud. */
export const quietInJsonString = new QuietText(['"', "'", '\\', ...controls], '');
