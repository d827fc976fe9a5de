/** Decoding of UTF-8 in pieces. */

/** A streaming decoder; a byte order mark is text. */
export function newDecoder(): InstanceType<typeof TextDecoder> {
  return new TextDecoder('utf-8', { ignoreBOM: true });
}

/** Whether the bytes end inside a UTF-8 character. */
export function endsInsideCharacter(bytes: ArrayLike<number>): boolean {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2);
    if (byte < 0x80) return false;
  }
  return false;
}

/** Decodes the pieces of one response, which may begin or end inside a character. */
export class PieceDecoder {
  #decoder = newDecoder();
  /** The latest bytes, as many as an incomplete character may have. */
  #lastBytes: readonly number[] = [];

  /** The text of a piece, without a character that it leaves incomplete. */
  decode(spelling: string | Uint8Array): string {
    if (typeof spelling === 'string') return spelling;
    this.#lastBytes = [...this.#lastBytes, ...spelling.slice(-3)].slice(-3);
    return this.#decoder.decode(spelling, { stream: true });
  }

  /** Whether the pieces so far end inside a character. */
  get isInsideCharacter(): boolean {
    return endsInsideCharacter(this.#lastBytes);
  }

  /** Ends the pieces: U+FFFD for an incomplete character. */
  end(): string {
    return this.#decoder.decode();
  }

  /** Forgets an incomplete character. */
  reset(): void {
    this.#decoder = newDecoder();
    this.#lastBytes = [];
  }
}
