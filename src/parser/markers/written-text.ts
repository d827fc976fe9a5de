/**
 * Text that grows in small pieces and is read once, at the end. A string built by `+=` is a rope of all its pieces
 * until it is first read: ten times the text, and expensive to flatten. So short pieces are stored as UTF-8 bytes,
 * which is much cheaper, and decoded one block at a time.
 */
import { escaped, escapeJson } from '../json/json-text.ts';

/** Bytes stored before they are decoded. */
const blockLength = 4096;
/** Longest piece that is stored as bytes, in UTF-16 units. */
export const shortPiece = 32;
/** The most bytes that such a piece can take. */
const maxBytes = 3 * shortPiece;

const backslash = 92;
/** No escape, and an escape longer than two characters. */
const itself = 0;
const longer = 255;
/** For each unit below 128: the character after the backslash, or one of these values. */
const secondOfEscape = Uint8Array.from(escaped, (json) => {
  if (json === '') return itself;
  return json.length === 2 ? json.charCodeAt(1) : longer;
});

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** See the top of this file. The text is `blocks`, then `rope`, then the first `used` of `bytes`. */
export class WrittenText {
  /** After `makeRoom`, one more short piece fits after `used`. */
  bytes = new Uint8Array(0);
  used = 0;
  private rope = '';
  /** A rope of few large blocks, flattened by the first read of the message. */
  private blocks = '';
  private readonly keeps: boolean;
  private readonly listener: { read(text: string): void } | null;

  /**
   * `keeps`: whether the text will be read; otherwise only its end is stored, for the `listener`, which is given the
   * text in blocks.
   */
  constructor(keeps: boolean, listener: { read(text: string): void } | null = null) {
    this.keeps = keeps;
    this.listener = listener;
  }

  /** Makes room for the bytes of a short piece. */
  makeRoom(): void {
    if (this.used + maxBytes <= this.bytes.length) return;
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
    if (!this.keeps && this.listener === null) return;
    this.makeRoom();
    const end = piece.length > shortPiece ? -1 : writeBytes(piece, this.bytes, this.used);
    if (end !== -1) this.used = end;
    else this.appendLong(piece);
  }

  /** Appends a piece escaped for a JSON string, and returns that form. */
  appendEscaped(piece: string): string {
    const short = piece.length > shortPiece ? null : this.escapeShort(piece);
    if (short !== null) return short;
    const json = escapeJson(piece);
    this.append(json);
    return json;
  }

  /** The same for ASCII with two-character escapes, in one loop; `null` for other pieces, which are not appended. */
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
    if (block === '') return;
    // Reading a character makes the engine flatten the rope.
    block.charCodeAt(0);
    this.listener?.read(block);
    if (this.keeps) this.blocks += block;
  }

  /** Gives the listener all text so far. */
  tell(): void {
    this.endBlock();
  }

  /** Discards the text. */
  clear(): void {
    this.blocks = '';
    this.rope = '';
    this.used = 0;
  }

  /** Its last units. */
  end(length: number): string {
    const recent = this.rope + this.decoded();
    return recent.length >= length ? recent.slice(-length) : (this.blocks + recent).slice(-length);
  }

  toString(): string {
    if (!this.keeps) return '';
    return this.blocks + this.rope + this.decoded();
  }
}

/** Writes a short piece as UTF-8 at `from`; returns its end, or -1 if UTF-8 cannot represent it. */
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
