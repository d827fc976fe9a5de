/** Bodies of HTTP answers that are never longer than allowed. What counts is the length after decompression. */

/**
 * The bytes of a body. Of a longer one nothing more is read than `most` and the chunk that goes beyond it; the
 * answer is `null` then, and the connection is given up. Throws what the body throws when it breaks.
 */
export async function readBody(response: Response, most: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const { bytes, complete } = await readBeginning(response, most);
  return complete ? bytes : null;
}

/** The first bytes of a body, `most` at the most; `complete` where there are no more. */
export async function readBeginning(
  response: Response,
  most: number,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly complete: boolean }> {
  const reader = response.body?.getReader();
  if (reader === undefined) return { bytes: new Uint8Array(0), complete: true };
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes: joined(chunks, length), complete: true };
    chunks.push(value);
    length += value.length;
    if (length <= most) continue;
    // Nobody waits for the end of what is not read.
    reader.cancel().catch(() => undefined);
    return { bytes: joined(chunks, length).subarray(0, most), complete: false };
  }
}

function joined(chunks: readonly Uint8Array[], length: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
