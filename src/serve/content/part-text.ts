/** The content of messages as text, in all APIs, with marks of the pictures that a model might see. */
import { isRecord } from '../../format/option-rules.ts';
import { describeFile } from '../../tools/describe-file.ts';
import { invalid } from '../errors.ts';
import type { Body } from '../read-body.ts';
import { fileOf, isFileType, pictureAddress } from './attached-file.ts';
import type { Notes } from './notes.ts';

/** The text of a content, a line for each part; `null` and `undefined` are empty. Throws `RequestError`. */
export function contentText(content: unknown, path: string, notes: Notes): string {
  if (typeof content === 'string') return content;
  if (content == null) return '';
  if (!Array.isArray(content)) throw invalid(path, `${path} must be a string or a list of parts`);
  return content.map((part: unknown, index) => partText(part, `${path}[${index}]`, notes)).join('\n');
}

/**
 * The text of one part. Documents with text are read; of any other file, a line tells the model what it is, because a
 * conversation that refuses a picture is refused for ever. Throws `RequestError` for a part that is neither.
 */
export function partText(part: unknown, path: string, notes: Notes): string {
  if (typeof part === 'string') return part;
  const plain = isRecord(part) ? plainText(part) : null;
  if (plain !== null) return plain;
  if (!isRecord(part) || typeof part.type !== 'string')
    throw invalid(path, `${path} must be a part with a type`);
  if (part.type === 'search_result') return searchResult(part, path, notes);
  if (part.type === 'document' && isRecord(part.source) && part.source.type === 'content')
    return titled([part.title], contentText(part.source.content, `${path}.source.content`, notes));
  if (textTypes.includes(part.type)) throw invalid(`${path}.text`, `${path}.text must be a string`);
  if (isFileType(part.type)) return fileText(part, path, notes);
  const reason = `${path}: parts of type ${JSON.stringify(part.type)} are not supported, only text and files`;
  throw invalid(path, reason, 'unsupported_content');
}

const textTypes = ['text', 'input_text', 'output_text', 'summary_text', 'reasoning_text'];

/** Whether a part is text, and nothing has to be made of it. */
export function plainText({ type, text, refusal, tool_name: tool }: Body): string | null {
  if (typeof text === 'string' && textTypes.some((each) => each === type)) return text;
  if (type === 'refusal' && typeof refusal === 'string') return refusal;
  // A search for tools names what it found; the client offers those tools next.
  return type === 'tool_reference' && typeof tool === 'string' ? tool : null;
}

function searchResult({ title, source, content }: Body, path: string, notes: Notes): string {
  return titled([title, source], contentText(content, `${path}.content`, notes));
}

function titled(titles: readonly unknown[], text: string): string {
  return [...titles.filter((each) => typeof each === 'string' && each !== ''), text].join('\n');
}

function fileText(part: Body, path: string, notes: Notes): string {
  const file = fileOf(part);
  if (file === null)
    throw invalid(path, `${path} has no file: neither data nor an address`, 'unsupported_content');
  const { text, isDescribed } = describeFile(file);
  const address = pictureAddress(file);
  if (address !== null) return notes.picture({ place: path, address, line: text });
  if (isDescribed) notes.ignore(path);
  return isDescribed ? text : titled([file.filename], text);
}
