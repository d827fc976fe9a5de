/**
 * The bytes of all tokens of a vocabulary in one array: with a hundred thousand small arrays, creating and reading
 * them would take most of the time.
 */
import type { TokenTexts } from './token-index.ts';

/** How the model file spells a token's bytes. */
export type TokenSpelling =
  /** As UTF-8. */
  | 'verbatim'
  /** Each character represents a byte. */
  | 'byte-level'
  /** `▁` represents a space. */
  | 'sentencepiece'
  /** `<0x41>` is one byte. */
  | 'byte';

/** SentencePiece's sign for a space. */
export const spaceSign = '\u2581';

/** The bytes of tokens from their texts. */
export function spellTokens(texts: readonly string[], spellingOf: (id: number) => TokenSpelling): TokenTexts {
  // A UTF-16 unit takes at most three bytes.
  const bytes = new Uint8Array(3 * texts.reduce((sum, { length }) => sum + length, 0));
  const starts = new Uint32Array(texts.length + 1);
  let end = 0;
  for (const [id, text] of texts.entries()) {
    end = write[spellingOf(id)](text, bytes, end);
    starts[id + 1] = end;
  }
  return { bytes: bytes.slice(0, end), starts };
}

/** The bytes of all tokens, by id. */
export class TokenBytes implements TokenTexts {
  readonly bytes: Uint8Array;
  readonly starts: Uint32Array;
  /** Bytes of the longest token; at least 1. */
  readonly longest: number;
  readonly #views: (Uint8Array | undefined)[] = [];

  constructor({ bytes, starts }: TokenTexts) {
    this.bytes = bytes;
    this.starts = starts;
    this.longest = starts.reduce((most, end, id) => Math.max(most, end - (starts[id - 1] ?? 0)), 1);
  }

  /** Bytes of one token; empty if there is no such token. */
  of(id: number): Uint8Array {
    const known = this.#views[id];
    if (known !== undefined) return known;
    const view = this.bytes.subarray(this.starts[id] ?? 0, this.starts[id + 1] ?? 0);
    this.#views[id] = view;
    return view;
  }
}

/** Writes the bytes of `text` to `bytes` at `place`; returns the end. */
type Write = (text: string, bytes: Uint8Array, place: number) => number;

const write: Readonly<Record<TokenSpelling, Write>> = {
  verbatim: (text, bytes, place) => writeUtf8(text, bytes, place),
  'byte-level': writeByteLevel,
  sentencepiece: (text, bytes, place) => writeUtf8(text, bytes, place, spaceSign),
  byte: (text, bytes, place) => {
    bytes[place] = Number.parseInt(text.slice(3, 5), 16);
    return place + 1;
  },
};

const encoder = new TextEncoder();

/** `space`: the character that represents a space, if there is one. */
function writeUtf8(text: string, bytes: Uint8Array, place: number, space?: string): number {
  const spaceCode = space?.charCodeAt(0);
  let end = place;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0xd800 && code <= 0xdfff) {
      // The encoder handles pairs of units; for a single unit it is slower than `writeUnit`.
      end += encoder.encodeInto(text.slice(index, index + 2), bytes.subarray(end)).written;
      index += 1;
    } else end = writeUnit(code === spaceCode ? 0x20 : code, bytes, end);
  }
  return end;
}

/** UTF-8 of a character of one UTF-16 unit. */
function writeUnit(code: number, bytes: Uint8Array, place: number): number {
  if (code < 0x80) {
    bytes[place] = code;
    return place + 1;
  }
  const last = 0x80 | (code & 0x3f);
  if (code < 0x800) {
    bytes[place] = 0xc0 | (code >> 6);
    bytes[place + 1] = last;
    return place + 2;
  }
  bytes[place] = 0xe0 | (code >> 12);
  bytes[place + 1] = 0x80 | ((code >> 6) & 0x3f);
  bytes[place + 2] = last;
  return place + 3;
}

/** Byte-level BPE: each character represents a byte. A text with any other character is verbatim. */
function writeByteLevel(text: string, bytes: Uint8Array, place: number): number {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    const byte = byteOfCharacter[code] ?? 0;
    if (byte === 0 && code !== spelledZero) return writeUtf8(text, bytes, place);
    bytes[place + index] = byte;
  }
  return place + text.length;
}

/**
 * The 256 characters that represent bytes in byte-level tokenizers; printable ones represent themselves. Indexed by
 * code point; 0 means byte 0 or none.
 */
const byteOfCharacter = spellBytes();
const spelledZero = 0x100;

function spellBytes(): Uint8Array {
  const printable = (byte: number): boolean =>
    (byte > 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad && byte <= 0xff);
  const bytes = new Uint8Array(0x200);
  let next = 0x100;
  for (let byte = 0; byte < 0x100; byte++) bytes[printable(byte) ? byte : next++] = byte;
  return bytes;
}
