/** Tells in a glance whether a short piece of text can matter to the markers that are waited for. */

/** Pieces up to this length are looked at unit by unit; longer ones are searched. */
const shortPiece = 32;

/** With more kinds of loud characters than this, long pieces are not worth a glance. */
const fewFirsts = 6;

const loudAnywhere = 1;
const loudAtEnd = 2;

/** What is loud: beginnings of markers, white space that a marker may claim, halves of characters. */
export class QuietText {
  /** For units below 256: 0, `loudAnywhere` or `loudAtEnd`. */
  private readonly loudness = new Uint8Array(256);
  /** For units below 256: 1 where behind a first character a marker may go on. */
  private readonly seconds = new Uint8Array(256);
  private readonly loudBeyond: string;
  private readonly firsts: readonly string[];

  /**
   * `firsts`: first characters of markers. `spaces`: white space that may belong to a marker in front.
   * `seconds`: the characters that come second in markers; `null` where one may be a single character.
   */
  constructor(firsts: readonly string[], spaces: string, seconds: string | null) {
    this.firsts = firsts;
    this.loudBeyond = firsts.filter((first) => first.charCodeAt(0) >= 256).join('');
    if (seconds === null) this.seconds.fill(1);
    for (const second of seconds ?? '') this.mark(this.seconds, second, 1);
    for (const space of spaces) this.mark(this.loudness, space, loudAtEnd);
    for (const first of firsts) this.mark(this.loudness, first, loudAnywhere);
  }

  private mark(table: Uint8Array, character: string, value: number): void {
    if (character.charCodeAt(0) < 256) table[character.charCodeAt(0)] = value;
  }

  /** Whether `piece` is plain text to its very end, so that nothing of it has to be held. */
  isQuiet(piece: string): boolean {
    const { length } = piece;
    if (length === 0 || length > shortPiece) return length > 0 && this.isQuietLong(piece);
    const { loudness } = this;
    let unit = 0;
    for (let at = 0; at < length; at++) {
      unit = piece.charCodeAt(at);
      if (unit > 255) return this.isQuietBeyond(piece, at);
      if (loudness[unit] === loudAnywhere && this.mayGoOn(piece, at + 1)) return false;
    }
    return loudness[unit] !== loudAtEnd;
  }

  /** The same from `from` on, whatever the units. */
  private isQuietBeyond(piece: string, from: number): boolean {
    let loud = 0;
    for (let at = from; at < piece.length; at++) {
      const unit = piece.charCodeAt(at);
      loud = unit < 256 ? (this.loudness[unit] ?? 0) : this.loudnessBeyond(unit);
      if (loud === loudAnywhere && this.mayGoOn(piece, at + 1)) return false;
    }
    return loud !== loudAtEnd;
  }

  /** Whether a marker may go on at `at`, behind its first character. */
  private mayGoOn(piece: string, at: number): boolean {
    if (at === piece.length) return true;
    const unit = piece.charCodeAt(at);
    return unit > 255 || this.seconds[unit] === 1;
  }

  private isQuietLong(piece: string): boolean {
    if (this.firsts.length > fewFirsts) return false;
    const last = piece.charCodeAt(piece.length - 1);
    const atEnd = last < 256 ? this.loudness[last] : this.loudnessBeyond(last);
    return atEnd === 0 && !this.firsts.some((first) => this.mayBegin(piece, first));
  }

  /** Whether a marker that begins with `first` may begin somewhere. */
  private mayBegin(piece: string, first: string): boolean {
    let at = piece.indexOf(first);
    while (at !== -1 && !this.mayGoOn(piece, at + 1)) at = piece.indexOf(first, at + 1);
    return at !== -1;
  }

  private loudnessBeyond(unit: number): number {
    if (unit >= 0xd800 && unit <= 0xdbff) return loudAtEnd;
    if (this.loudBeyond === '') return 0;
    return this.loudBeyond.includes(String.fromCharCode(unit)) ? loudAnywhere : 0;
  }
}

const controls = Array.from({ length: 32 }, (_, unit) => String.fromCharCode(unit));

/** Inside a JSON string: quotes, backslashes and control characters are loud. */
export const quietInJsonString = new QuietText(['"', "'", '\\', ...controls], '', null);
