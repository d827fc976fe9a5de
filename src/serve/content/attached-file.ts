/** Pictures, sounds and documents in requests, in the forms of all APIs. */
import { isRecord } from '../../format/option-rules.ts';
import { type FilePart, fileAt } from '../../tools/describe-file.ts';
import type { Body } from '../read-body.ts';

/** By the type of the part: where it has its file. `null` if it has none. */
const files: Readonly<Record<string, (part: Body) => FilePart | null>> = {
  image_url: ({ image_url: given }) => fileAt(isRecord(given) ? given.url : given, 'image'),
  video_url: ({ video_url: given }) => fileAt(isRecord(given) ? given.url : given, 'video'),
  audio_url: ({ audio_url: given }) => fileAt(isRecord(given) ? given.url : given, 'audio'),
  input_image: ({ image_url: url, file_id: id }) => fileAt(url, 'image') ?? stored(id, 'image'),
  input_audio: ({ input_audio: given }) => (isRecord(given) ? sound(given) : null),
  input_file: (part) => named(part, fileAt(part.file_data ?? part.file_url, 'file') ?? stored(part.file_id)),
  file: ({ file }) =>
    isRecord(file) ? named(file, fileAt(file.file_data, 'file') ?? stored(file.file_id)) : null,
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
  if (type === 'url') return fileAt(url, kind);
  if (type === 'file') return stored(id, kind);
  if (typeof data !== 'string') return null;
  const bytes = type === 'text' ? new TextEncoder().encode(data) : data;
  return { mediaType: typeof mediaType === 'string' ? mediaType : kind, data: bytes };
}

function named({ filename }: Body, file: FilePart | null): FilePart | null {
  return file === null || typeof filename !== 'string' ? file : { ...file, filename };
}

/** How the Base64 of pictures begins, which say themselves what they are. */
const beginnings: Readonly<Record<string, string>> = {
  '/9j/': 'image/jpeg',
  R0lGOD: 'image/gif',
  UklGR: 'image/webp',
  iVBORw: 'image/png',
};

/** The `data:` address of a picture whose bytes are given; `null` for any other file. */
export function pictureAddress({ mediaType, data }: FilePart): string | null {
  if (!/^image(?:$|\/)/.test(mediaType) || typeof data !== 'string' || !/^[A-Za-z0-9+/]+=*$/.test(data))
    return null;
  const begins = Object.keys(beginnings).find((each) => data.startsWith(each));
  const type = begins === undefined ? mediaType : beginnings[begins];
  return `data:${type === 'image' ? 'image/png' : type};base64,${data}`;
}
