/** Reads bodies of HTTP responses with a limit on their length after decompression. */

/** The bytes of a body; `null` if it is longer than `most`, and then it is cancelled. Throws what the body throws. */
export async function readBody(response: Response, most: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const { bytes, complete } = await readBeginning(response, most);
  return complete ? bytes : null;
}

/** The first bytes of a body, at most `most`; `complete` if there are no more. */
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
    // Errors after the end of interest are ignored.
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
