/** Pictures, sounds and documents in requests, in the forms of all APIs. */
import { isRecord } from '../../format/option-rules.ts';
import type { FilePart } from '../../tools/describe-file.ts';
import type { Body } from '../read-body.ts';

/** By the type of the part: where it has its file. `null` if it has none. */
const files: Readonly<Record<string, (part: Body) => FilePart | null>> = {
  image_url: ({ image_url: given }) => atAddress(isRecord(given) ? given.url : given, 'image'),
  video_url: ({ video_url: given }) => atAddress(isRecord(given) ? given.url : given, 'video'),
  audio_url: ({ audio_url: given }) => atAddress(isRecord(given) ? given.url : given, 'audio'),
  input_image: ({ image_url: url, file_id: id }) => atAddress(url, 'image') ?? stored(id, 'image'),
  input_audio: ({ input_audio: given }) => (isRecord(given) ? sound(given) : null),
  input_file: (part) =>
    named(part, atAddress(part.file_data ?? part.file_url, 'file') ?? stored(part.file_id)),
  file: ({ file }) =>
    isRecord(file) ? named(file, atAddress(file.file_data, 'file') ?? stored(file.file_id)) : null,
  image: ({ source }) => (isRecord(source) ? fromSource(source, 'image') : null),
  document: ({ source, title }) =>
    isRecord(source) ? named({ filename: title }, fromSource(source, 'document')) : null,
};

/** Whether parts of this type hold a file. */
export function isFileType(type: unknown): boolean {
  return typeof type === 'string' && Object.hasOwn(files, type);
}

/** The file of a part; `null` if it has none. */
export function fileOf(part: Body): FilePart | null {
  return isFileType(part.type) ? (files[String(part.type)]?.(part) ?? null) : null;
}

/** An address, a `data:` address, or plain Base64. */
function atAddress(given: unknown, kind: string): FilePart | null {
  if (typeof given !== 'string' || given === '') return null;
  const [, type, isBase64, data] = /^data:([^;,]*)[^,]*?(;base64)?,(.*)$/s.exec(given) ?? [];
  if (type !== undefined && data !== undefined)
    return { mediaType: type === '' ? kind : type, data: isBase64 === undefined ? encoded(data) : data };
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

/** A file that a provider has stored; here it is only a name. */
function stored(id: unknown, kind = 'file'): FilePart | null {
  return typeof id === 'string' ? { mediaType: kind, filename: id } : null;
}

function sound({ data, format }: Body): FilePart | null {
  if (typeof data !== 'string') return null;
  return { mediaType: typeof format === 'string' ? `audio/${format}` : 'audio', data };
}

function fromSource(
  { type, media_type: mediaType, data, url, file_id: id }: Body,
  kind: string,
): FilePart | null {
  if (type === 'url') return atAddress(url, kind);
  if (type === 'file') return stored(id, kind);
  if (typeof data !== 'string') return null;
  const bytes = type === 'text' ? new TextEncoder().encode(data) : data;
  return { mediaType: typeof mediaType === 'string' ? mediaType : kind, data: bytes };
}

function named({ filename }: Body, file: FilePart | null): FilePart | null {
  return file === null || typeof filename !== 'string' ? file : { ...file, filename };
}
