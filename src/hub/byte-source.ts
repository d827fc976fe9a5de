/** Random access to the bytes of a file, local or over HTTP, with a count of the bytes read. */
import fs from 'node:fs/promises';
import { codeOf } from '../format/error-class.ts';
import { ModelFileError } from '../format/errors.ts';

/** The result of a read: fewer bytes than requested only at the end of the file. */
interface SourceBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Size of the whole file in bytes. */
  readonly size: number;
}

/** A file that is read in parts. */
export interface ByteSource {
  /** The file's name in errors. */
  readonly name: string;
  /** How many bytes at first cost little. */
  readonly firstRead: number;
  /** Bytes `start` to `end`, `end` exclusive. Throws `ModelFileError` if the source does not deliver them. */
  read(start: number, end: number): Promise<SourceBytes>;
}

/** The bytes of a local file; it must be a regular file. */
export function fileSource(file: string): ByteSource {
  return {
    name: file,
    firstRead: 8_000_000,
    async read(start, end) {
      const handle = await openRegularFile(file);
      try {
        const { size } = await handle.stat();
        const bytes = new Uint8Array(Math.max(0, Math.min(end, size) - start));
        const { bytesRead } = await handle.read(bytes, 0, bytes.length, start);
        return { bytes: bytes.subarray(0, bytesRead), size };
      } finally {
        await handle.close();
      }
    },
  };
}

async function openRegularFile(file: string): Promise<fs.FileHandle> {
  try {
    // Opening a pipe or a device would block, so the kind of file is checked first.
    const stats = await fs.stat(file);
    if (!stats.isFile()) throw new ModelFileError({ file, reason: 'is not a regular file' });
    return await fs.open(file, 'r');
  } catch (cause) {
    if (cause instanceof ModelFileError) throw cause;
    const reason = codeOf(cause) === 'ENOENT' ? 'does not exist' : 'cannot be opened';
    throw new ModelFileError({ file, reason, cause });
  }
}

/** The bytes of a URL, read by range requests; a server without ranges is rejected. */
export function httpSource(url: string, options: { fetch?: typeof fetch; name?: string } = {}): ByteSource {
  const request = options.fetch ?? fetch;
  const name = options.name ?? withoutQuery(url);
  let knownSize: number | null = null;
  const readOnce = async (start: number, end: number): Promise<SourceBytes | null> => {
    const response = await request(url, { headers: { range: `bytes=${start}-${end - 1}` } });
    const { size } = await acceptPartialResponse(response, name, start);
    knownSize = size;
    const bytes = await readExactly(response, Math.min(end, size) - start);
    return bytes === null ? null : { bytes, size };
  };
  return {
    name,
    firstRead: 2_000_000,
    async read(start, end) {
      if (knownSize !== null && start >= knownSize) return { bytes: new Uint8Array(0), size: knownSize };
      for (let attempt = 0; attempt < readAttempts; attempt++) {
        const answer = await readOnce(start, end);
        if (answer !== null) return answer;
      }
      throw new ModelFileError({ file: name, reason: 'the server keeps sending less than it announced' });
    },
  };
}

/** A connection may break; if it always does, the server refuses. */
const readAttempts = 3;

/** A URL without its query, which may contain signatures. */
function withoutQuery(url: string): string {
  const parsed = new URL(url);
  return `${parsed.origin}${parsed.pathname}`;
}

async function acceptPartialResponse(
  response: Response,
  file: string,
  start: number,
): Promise<{ readonly size: number }> {
  const range = parseContentRange(response.headers.get('content-range'));
  if (response.status === 206 && range !== null && range.start === start && range.size !== null) {
    return { size: range.size };
  }
  await response.body?.cancel();
  const reason =
    response.status === 200
      ? 'the server sends the whole file where a part was asked for'
      : `the server answers ${response.status} to a request for a part of the file`;
  throw new ModelFileError({ file, reason });
}

/** `bytes 0-99/1234` as numbers, `end` inclusive; `null` for anything else. A size of `*` is `null`. */
export function parseContentRange(
  header: string | null,
): { readonly start: number; readonly end: number; readonly size: number | null } | null {
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/.exec(header ?? '');
  if (match === null) return null;
  return {
    start: Number(match[1]),
    end: Number(match[2]),
    size: match[3] === '*' ? null : Number(match[3]),
  };
}

/** Reads exactly `length` bytes of the body; `null` if it ends before that. */
async function readExactly(response: Response, length: number): Promise<Uint8Array<ArrayBuffer> | null> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  try {
    // Leaving the loop early cancels the body.
    for await (const chunk of response.body ?? []) {
      const wanted = chunk.subarray(0, length - filled);
      bytes.set(wanted, filled);
      filled += wanted.length;
      if (filled === length) break;
    }
  } catch {
    return null;
  }
  return filled < length ? null : bytes;
}
