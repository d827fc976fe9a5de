/** How a response template reads arguments that are written as entries. */
import type { ValueFrame } from '../../format/chat-format.ts';
import type { EntriesLayout } from '../../layout/entries.ts';
import { Marker } from '../../layout/marker.ts';
import type { ResponseTemplateField } from '../index.ts';
import { exactly, oneOfPatterns, withOptionalEdges } from './literal-patterns.ts';
import type { UnsupportedReason } from './unsupported.ts';

/** A content parser, if one fits, and what it does not cover. */
interface EntryContent {
  readonly content: Pick<ResponseTemplateField, 'content' | 'content_args'> | null;
  readonly unsupported: readonly UnsupportedReason[];
}

/** The content parser for `entries`, whose braces may be part of the literals around them, `before` and `after`. */
export function entryContent(entries: EntriesLayout, before: string, after: string): EntryContent {
  const open = new Marker(before + entries.open.text);
  const close = new Marker(entries.close.text + after);
  const braced = open.core.endsWith('{') && close.core.startsWith('}');
  if (braced && isJsonDialect(entries))
    return { content: dialect(entries), unsupported: unreadNull(entries) };
  if (entries.entry.open.isBlank) {
    const detail = 'arguments are written as in a Python call, which no content parser reads';
    return { content: null, unsupported: [{ code: 'pythonic-arguments', fatal: true, detail }] };
  }
  return { content: tags(entries), unsupported: unreadValues(entries) };
}

/** `{a:<|"|>x<|"|>,b:1}`: JSON with bare keys and foreign quotes. */
function isJsonDialect(entries: EntriesLayout): boolean {
  const { entry, frames, nested } = entries;
  return (
    entry.open.text === '' &&
    entry.key.core === ':' &&
    entries.separator.text === ',' &&
    frames.string.codec === 'raw' &&
    frames.string.open !== '' &&
    frames.number.codec === 'json' &&
    (nested === null || (nested.object.open.text === '{' && nested.array.open.text === '['))
  );
}

function unreadNull(entries: EntriesLayout): readonly UnsupportedReason[] {
  if (entries.frames.null.codec !== 'python') return [];
  const detail = 'null is written as None, and a call that holds it is not read';
  return [{ code: 'python-values', fatal: false, detail }];
}

function dialect(entries: EntriesLayout): EntryContent['content'] {
  const { string } = entries.frames;
  return {
    content: 'json',
    content_args: { unquoted_keys: true, string_delims: [[string.open, string.close]] },
  };
}

/** `<parameter=a>\n…\n</parameter>`. Types come from the tools' schemas. */
function tags(entries: EntriesLayout): EntryContent['content'] {
  const { entry } = entries;
  const frames = [
    ...(entries.alternativeString === null ? [] : [entries.alternativeString]),
    ...(entries.integer === undefined ? [] : [entries.integer]),
    ...framesOf(entries),
  ];
  const open = oneOfPatterns(frames.map((frame) => exactly(frame.open)));
  const close = oneOfPatterns(frames.map((frame) => exactly(frame.close)));
  const optional = frames.some((frame) => frame.open === '') ? '?' : '';
  const ending = entry.close
    .map((part) => (typeof part === 'string' ? withOptionalEdges(part) : '(?P=key)'))
    .join('');
  const tagPattern =
    `${exactly(entry.open.fromCore)}(?P<key>.+?)${withOptionalEdges(entry.key.text)}` +
    `${group(open)}${open === '' ? '' : optional}(?P<value>.*?)${group(close)}${close === '' ? '' : optional}${ending.replace(/(?:\\n|\\t| )\?$/, '')}`;
  const encoded = entries.frames.string.codec === 'json';
  return {
    content: 'xml-inline',
    content_args: {
      tag_pattern: tagPattern,
      ...(encoded ? { value_parser: { name: 'json', args: { allow_non_json: true } } } : {}),
    },
  };
}

function group(pattern: string): string {
  return pattern === '' || pattern.startsWith('(?:') ? pattern : `(?:${pattern})`;
}

function framesOf(entries: EntriesLayout): readonly ValueFrame[] {
  return Object.values(entries.frames).filter((frame) => frame.codec !== 'absent');
}

function unreadValues(entries: EntriesLayout): readonly UnsupportedReason[] {
  const containers = [entries.frames.array, entries.frames.object];
  const reasons: UnsupportedReason[] = [];
  if (entries.frames.string.codec === 'escaped') {
    const detail = 'strings keep the escapes that the template puts into them';
    reasons.push({ code: 'escaped-strings', fatal: false, detail });
  }
  if (containers.some((frame) => frame.codec === 'python')) {
    const detail = 'lists and objects are written as Python literals and stay texts';
    reasons.push({ code: 'python-values', fatal: false, detail });
  }
  if (containers.some((frame) => frame.codec === 'nested')) {
    const detail = 'lists and objects are written in a notation of their own and stay texts';
    reasons.push({ code: 'nested-values', fatal: false, detail });
  }
  return reasons;
}
