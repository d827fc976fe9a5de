/**
 * Text that grows by small pieces and is asked for at its end. A string that grows by `+=` is a tree of all
 * its pieces until it is first read: ten times the text, and expensive to flatten. So short pieces are
 * written down as UTF-8 bytes, at a fraction of that cost, and become a string by the block.
 */
import { escaped, escapeJson } from '../json/json-text.ts';

/** Bytes that are kept before they become a string. */
const blockLength = 4096;
/** Longest piece that is written down as bytes, in UTF-16 units. */
export const shortPiece = 32;
/** The bytes that such a piece can take. */
const mostBytes = 3 * shortPiece;

const backslash = 92;
/** Units that stand for themselves in JSON, and those whose escape is longer than two characters. */
const itself = 0;
const longer = 255;
/** For the units below 128: the character after the backslash, or one of these. */
const secondOfEscape = Uint8Array.from(escaped, (json) => {
  if (json === '') return itself;
  return json.length === 2 ? json.charCodeAt(1) : longer;
});

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** See the top of this file. The text is `blocks`, then `rope`, then the first `used` of `bytes`. */
export class WrittenText {
  /** Room for one more short piece is after `used` once `makeRoom` has been called. */
  bytes = new Uint8Array(0);
  used = 0;
  private rope = '';
  /** A tree of few large blocks. The first read of the message flattens it. */
  private blocks = '';
  private readonly keeps: boolean;

  /** `keeps`: the text will be asked for; otherwise it is forgotten at once. */
  constructor(keeps: boolean) {
    this.keeps = keeps;
  }

  /** Makes sure that the bytes of a short piece have room. */
  makeRoom(): void {
    if (this.used + mostBytes <= this.bytes.length) return;
    if (this.bytes.length < blockLength) this.grow();
    else this.endBlock();
  }

  private grow(): void {
    const { bytes } = this;
    this.bytes = new Uint8Array(bytes.length === 0 ? blockLength / 8 : blockLength);
    this.bytes.set(bytes);
  }

  /** Adds a piece of any length. */
  append(piece: string): void {
    if (!this.keeps) return;
    this.makeRoom();
    const end = piece.length > shortPiece ? -1 : writeBytes(piece, this.bytes, this.used);
    if (end !== -1) this.used = end;
    else this.appendLong(piece);
  }

  /** Adds a piece as it stands inside a JSON string, and returns that. */
  appendEscaped(piece: string): string {
    const short = piece.length > shortPiece ? null : this.escapeShort(piece);
    if (short !== null) return short;
    const json = escapeJson(piece);
    this.append(json);
    return json;
  }

  /** The same for ASCII with escapes of two characters, in one loop; `null`, and nothing is added, for others. */
  private escapeShort(piece: string): string | null {
    this.makeRoom();
    const { bytes } = this;
    let { used } = this;
    let json = '';
    let copied = 0;
    for (let at = 0; at < piece.length; at++) {
      const unit = piece.charCodeAt(at);
      const second = unit > 127 ? longer : secondOfEscape[unit];
      if (second === longer || second === undefined) return null;
      if (second === itself) {
        bytes[used++] = unit;
        continue;
      }
      bytes[used++] = backslash;
      bytes[used++] = second;
      json += piece.slice(copied, at) + escaped[unit];
      copied = at + 1;
    }
    this.used = used;
    return copied === 0 ? piece : json + piece.slice(copied);
  }

  /** Long text, or text that UTF-8 cannot hold. */
  private appendLong(piece: string): void {
    this.rope += this.decoded() + piece;
    this.used = 0;
    if (this.rope.length >= blockLength / 4) this.endBlock();
  }

  private decoded(): string {
    return this.used === 0 ? '' : decoder.decode(this.bytes.subarray(0, this.used));
  }

  private endBlock(): void {
    const block = this.rope + this.decoded();
    this.rope = '';
    this.used = 0;
    if (!this.keeps) return;
    // Looking at a character makes the engine copy the tree of pieces into one flat string.
    block.charCodeAt(0);
    this.blocks += block;
  }

  /** Begins anew. */
  clear(): void {
    this.blocks = '';
    this.rope = '';
    this.used = 0;
  }

  toString(): string {
    if (!this.keeps) return '';
    return this.blocks + this.rope + this.decoded();
  }
}

/** Writes a short piece as UTF-8 after `from`; the end of it, or -1 where UTF-8 cannot represent it. */
function writeBytes(piece: string, bytes: Uint8Array, from: number): number {
  let to = from;
  for (let at = 0; at < piece.length; at++) {
    const unit = piece.charCodeAt(at);
    if (unit < 0x80) {
      bytes[to++] = unit;
    } else if (unit < 0x800) {
      bytes[to++] = 0xc0 | (unit >> 6);
      bytes[to++] = 0x80 | (unit & 0x3f);
    } else if (unit < 0xd800 || unit > 0xdfff) {
      bytes[to++] = 0xe0 | (unit >> 12);
      bytes[to++] = 0x80 | ((unit >> 6) & 0x3f);
      bytes[to++] = 0x80 | (unit & 0x3f);
    } else {
      const point = piece.codePointAt(at) ?? unit;
      if (point === unit) return -1;
      bytes[to++] = 0xf0 | (point >> 18);
      bytes[to++] = 0x80 | ((point >> 12) & 0x3f);
      bytes[to++] = 0x80 | ((point >> 6) & 0x3f);
      bytes[to++] = 0x80 | (point & 0x3f);
      at++;
    }
  }
  return to;
}
