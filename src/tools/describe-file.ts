/** Files in prompts: texts are read, everything else is described. */

/** A file as the AI SDK gives it: its bytes, Base64, or where it is. */
export interface FilePart {
  readonly mediaType: string;
  readonly filename?: string;
  readonly data?: unknown;
}

/** What the model reads about a file. */
export interface FileText {
  readonly text: string;
  /** The file itself is not part of the text. */
  readonly isDescribed: boolean;
}

/** The text of a text file; a line such as `[file photo.png, image/png, 40 kB]` for any other. */
export function describeFile({ mediaType, filename, data }: FilePart): FileText {
  const bytes = bytesOf(data);
  if (bytes !== null && isText(mediaType)) {
    return { text: new TextDecoder().decode(bytes), isDescribed: false };
  }
  const size = bytes === null ? [] : [`${Math.max(1, Math.round(bytes.length / 1000))} kB`];
  const place = data instanceof URL && data.protocol !== 'data:' ? [data.href] : [];
  const name = filename === undefined ? 'file' : `file ${filename}`;
  return { text: `[${[name, mediaType, ...size, ...place].join(', ')}]`, isDescribed: true };
}

function isText(mediaType: string): boolean {
  return mediaType.startsWith('text/') || /^application\/(.+\+)?(json|xml|yaml)$/.test(mediaType);
}

/** The AI SDK calls a text Base64 wherever it is not an address. Null where the bytes are not here. */
function bytesOf(data: unknown): Uint8Array | null {
  if (data instanceof Uint8Array) return data;
  if (typeof data !== 'string' || URL.canParse(data)) return null;
  try {
    return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
