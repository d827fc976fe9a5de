/** Keys, frames and samples, shared by the entries of arguments and the properties of nested values. */
import type { JsonType, KeyedText, ValueFrame } from '../format/chat-format.ts';
import type { EntriesLayout } from '../layout/entries.ts';
import type { Marker } from '../layout/marker.ts';
import { state } from '../parser/named-states.ts';
import type { FrameChoice, ValuePlace } from '../parser/state-tables.ts';
import { samples } from './call-samples.ts';
import { picture } from './pictures.ts';
import { choicesOf, type MarkerChoice, type StateName, type StateSpec } from './states.ts';

/** Any key, in the text after a value. */
export const anyKey = { hole: 'key' } as const;

const jsonTypes: readonly JsonType[] = ['string', 'number', 'boolean', 'null', 'array', 'object'];

/** A string in its frame. */
export function sampleValue({ frames }: EntriesLayout): string {
  const { open, close } = asPasted(frames.string);
  return open + samples.value + close;
}

/** The end of an entry, with its key filled in. */
export function sampleClose(close: KeyedText): string {
  return close.map((part) => (typeof part === 'string' ? part : samples.key)).join('');
}

/** The text without empty parts. */
export function keyed(parts: KeyedText): KeyedText {
  return parts.filter((part) => part !== '');
}

/** The state in a key; `opener` is the text before it in the picture. */
export function keyState(
  name: StateName,
  title: string,
  end: KeyEnd,
  place: ValuePlace<StateName>,
  opener: string,
): StateSpec {
  return {
    name,
    title,
    picture: picture(opener, samples.key, end.ends[0]?.marker ?? ''),
    step: state('hole', { hole: 'key', ...end, place }),
  };
}

/** The end of a key. */
interface KeyEnd {
  readonly ends: readonly MarkerChoice[];
  readonly space?: StateName;
  readonly gap?: string;
}

/** The text after a key: its own marker or, if that is blank, the opener of a frame, or white space. */
export function keyEnd(name: string, marker: Marker, valueFrames: readonly FrameChoice[]): KeyEnd {
  if (!marker.isBlank) return { ends: choicesOf(name, [marker], 'inValue') };
  const openers = new Set(valueFrames.map(({ open = '' }) => open));
  const ends = choicesOf('valueOpen', [...openers], 'inValue', { peek: true });
  return ends.length === 0 && marker.text !== '' ? { ends, space: 'inValue', gap: marker.text } : { ends };
}

/** The frames; those with the same opener and closer are merged. */
export function frames(format: EntriesLayout): readonly FrameChoice[] {
  const groups = new Map<string, { frame: ValueFrame; types: JsonType[]; quoted: boolean }>();
  const add = (type: JsonType, given: ValueFrame) => {
    if (given.codec === 'absent') return;
    const frame = given.codec === 'escaped' ? withoutQuotes(given) : asPasted(given);
    const key = JSON.stringify([frame.open, frame.close]);
    const group = groups.get(key) ?? { frame, types: [], quoted: false };
    group.types.push(type);
    if (type === 'string' && frame.codec !== 'raw') group.quoted = true;
    groups.set(key, group);
  };
  for (const type of jsonTypes) add(type, format.frames[type]);
  if (format.integer !== undefined) add('number', format.integer);
  if (format.alternativeString !== null) add('string', format.alternativeString);
  return [...groups.values()].map(({ frame: { open, close }, types, quoted }) => ({
    ...(open === '' ? {} : { open }),
    ...(close === '' ? {} : { close }),
    types,
    ...(quoted ? { quoted: true } : {}),
  }));
}

/** Strings that history pastes into quotes may hold quotes that nobody escaped, unlike those that models write. */
function asPasted(frame: ValueFrame): ValueFrame {
  const { open, close, pasted } = frame;
  return pasted === undefined
    ? frame
    : { ...frame, open: open + pasted, close: pasted + close, codec: 'raw' };
}

/** The quotes of an escaped string are part of it, as in a JSON or Python literal. */
function withoutQuotes(frame: ValueFrame): ValueFrame {
  return { ...frame, open: frame.open.slice(0, -1), close: frame.close.slice(1) };
}
