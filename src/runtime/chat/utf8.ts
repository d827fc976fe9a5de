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
