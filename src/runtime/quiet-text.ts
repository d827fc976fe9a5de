/** Tells in a glance whether a short piece of text can matter to the markers that are waited for. */

/** Pieces up to this length are looked at unit by unit; longer ones are searched. */
const shortPiece = 32;

/** With more kinds of loud characters than this, long pieces are not worth a glance. */
const fewFirsts = 6;

/** What is loud: first characters of markers, white space that a marker may claim, halves of characters. */
export class QuietText {
  /** 1 for loud units below 256. */
  private readonly loud = new Uint8Array(256);
  private readonly loudBeyond: string;
  private readonly firsts: readonly string[];
  private readonly spaces: string;

  /** `firsts`: first characters of markers. `spaces`: white space that may belong to a marker in front. */
  constructor(firsts: readonly string[], spaces: string) {
    this.firsts = firsts;
    this.spaces = spaces;
    this.loudBeyond = firsts.filter((first) => first.charCodeAt(0) >= 256).join('');
    for (const first of firsts) {
      if (first.charCodeAt(0) < 256) this.loud[first.charCodeAt(0)] = 1;
    }
  }

  /** Whether `piece` is plain text to its very end, so that nothing of it has to be held. */
  isQuiet(piece: string): boolean {
    const { length } = piece;
    if (length === 0 || this.endsLoud(piece.charCodeAt(length - 1))) return false;
    if (length > shortPiece) return this.firsts.length <= fewFirsts && this.isQuietLong(piece);
    for (let at = 0; at < length; at++) {
      const unit = piece.charCodeAt(at);
      if (unit < 256 ? this.loud[unit] === 1 : this.isLoudBeyond(unit)) return false;
    }
    return true;
  }

  private isQuietLong(piece: string): boolean {
    return !this.firsts.some((first) => piece.includes(first));
  }

  private isLoudBeyond(unit: number): boolean {
    return this.loudBeyond !== '' && this.loudBeyond.includes(String.fromCharCode(unit));
  }

  private endsLoud(unit: number): boolean {
    if (unit > 32) return unit >= 0xd800 && unit <= 0xdbff;
    return this.spaces.includes(String.fromCharCode(unit));
  }
}

const controls = Array.from({ length: 32 }, (_, unit) => String.fromCharCode(unit));

/** Inside a JSON string: quotes, backslashes and control characters are loud. */
export const quietInJsonString = new QuietText(['"', "'", '\\', ...controls], '');
