/** What a format writes around and inside a call. */
import type { CallsFormat } from '../../format/chat-format.ts';

/** A format's literals around and inside a call, as one text. */
export function writtenAround({ section, call, head, tail, arguments: format }: CallsFormat): string {
  const literals = [...head, ...tail].filter((part) => typeof part === 'string');
  const entry = format.kind === 'entries' ? [format.entry.open, format.entry.key] : [];
  const [first = '', ...others] = literals;
  return [section.open, call.open, first, ...others, ...entry, call.close, section.close].join('');
}
