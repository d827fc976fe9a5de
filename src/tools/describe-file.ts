/** Files in prompts: text files are read, all others are described. */

/** A file as in the AI SDK: its bytes, Base64, or an address. */
export interface FilePart {
  readonly mediaType: string;
  readonly filename?: string;
  readonly data?: unknown;
}

/** The text for the model. */
interface FileText {
  readonly text: string;
  /** Whether the text only describes the file. */
  readonly isDescribed: boolean;
}

/** The text of a text file; for any other, a line such as `[file photo.png, image/png, 40 kB]`. */
export function describeFile({ mediaType, filename, data }: FilePart): FileText {
  const bytes = isText(mediaType) ? bytesOf(data) : null;
  if (bytes !== null) return { text: new TextDecoder().decode(bytes), isDescribed: false };
  const length = sizeOf(data);
  const size = length === null ? [] : [`${Math.max(1, Math.round(length / 1000))} kB`];
  const place = data instanceof URL && data.protocol !== 'data:' ? [data.href] : [];
  const name = filename === undefined ? 'file' : `file ${filename}`;
  return { text: `[${[name, mediaType, ...size, ...place].join(', ')}]`, isDescribed: true };
}

/**
 * The file of an address, a `data:` address, or plain Base64; `null` if it is none. Nor is a file of this machine: it would
 * be described as if it were read.
 */
export function fileAt(given: unknown, kind: string): FilePart | null {
  if (typeof given !== 'string' || given === '' || /^file:/i.test(given)) return null;
  const comma = given.startsWith('data:') ? given.indexOf(',') : -1;
  if (comma !== -1) {
    const head = given.slice('data:'.length, comma);
    const [type = ''] = head.split(';', 1);
    const data = given.slice(comma + 1);
    return { mediaType: type === '' ? kind : type, data: head.endsWith(';base64') ? data : encoded(data) };
  }
  return { mediaType: kind, data: URL.canParse(given) ? new URL(given) : given };
}

/** The bytes of a `data:` address that is not Base64. */
function encoded(text: string): Uint8Array {
  try {
    return new TextEncoder().encode(decodeURIComponent(text));
  } catch {
    return new TextEncoder().encode(text);
  }
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/') || /^application\/(.+\+)?(json|xml|yaml)$/.test(mediaType);
}

/** The AI SDK uses Base64 for any string that is not an address. `null` if the bytes are not included. */
function bytesOf(data: unknown): Uint8Array | null {
  if (data instanceof Uint8Array) return data;
  if (typeof data !== 'string' || URL.canParse(data)) return null;
  try {
    const decoded = atob(data);
    const bytes = new Uint8Array(decoded.length);
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = decoded.charCodeAt(at);
    return bytes;
  } catch {
    return null;
  }
}

/** Characters of a text that show whether it is Base64. */
const shown = 4096;

/** The number of bytes, without decoding them; `null` if they are not included. */
function sizeOf(data: unknown): number | null {
  if (data instanceof Uint8Array) return data.length;
  if (typeof data !== 'string') return null;
  const text = data.trimEnd();
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const length = text.length - padding;
  return /[^A-Za-z0-9+/\s]/.test(text.slice(0, Math.min(shown, length)))
    ? null
    : Math.floor((length * 3) / 4);
}
