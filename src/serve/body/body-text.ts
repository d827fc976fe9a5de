/** The text of a request's body, with limits on its size and on the time that it takes. */
import { invalid, RequestError } from '../errors.ts';

/** What a body may take. */
export interface BodyLimits {
  readonly maxBodyBytes: number;
  readonly bodyTimeoutMs: number;
}

/** Throws `RequestError` if it is too large, late, or not UTF-8. */
export async function readBodyText(
  request: Request,
  { maxBodyBytes, bodyTimeoutMs }: BodyLimits,
): Promise<string> {
  const tooLong = Number(request.headers.get('content-length') ?? 0) > maxBodyBytes;
  if (tooLong) throw tooLarge(maxBodyBytes);
  const reader = request.body?.getReader();
  if (reader === undefined) return '';
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const reason = `the body did not arrive within ${bodyTimeoutMs} ms`;
    const error = new RequestError({ status: 408, reasonCode: 'request_timeout', param: null, reason });
    timer = setTimeout(() => reject(error), bodyTimeoutMs);
  });
  try {
    return await Promise.race([decoded(reader, maxBodyBytes), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Decodes as the bytes arrive, so that they need not be kept. */
async function decoded(
  reader: ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>,
  most: number,
): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for (let length = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return text + decode(() => decoder.decode());
    length += value.length;
    if (length > most) {
      // Errors after the end of interest are ignored.
      reader.cancel().catch(() => undefined);
      throw tooLarge(most);
    }
    text += decode(() => decoder.decode(value, { stream: true }));
  }
}

function decode(piece: () => string): string {
  try {
    return piece();
  } catch {
    throw invalid(null, 'the body is not UTF-8', 'invalid_json');
  }
}

function tooLarge(most: number): RequestError {
  const reason = `the body has more than ${most} bytes`;
  return new RequestError({ status: 413, reasonCode: 'request_too_large', param: null, reason });
}
