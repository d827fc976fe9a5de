/** Lowers arguments that are written as entries, and the notation of nested values. */
import type { CallsFormat, EntryArguments, JsonType, NestedFormat, ValueFrame } from '../chat-format.ts';
import type { FrameChoice, KeyedText, NestedTable, ValuePlace } from '../runtime/module-contract.ts';
import { closingPieces, core, isBlank, type MarkerChoice, pieces } from './format-markers.ts';
import { behindArguments } from './lower-calls.ts';
import { picture } from './pictures.ts';
import type { StateName, StateSpec } from './states.ts';

const recover = 'inMalformedCall';
const jsonTypes: readonly JsonType[] = ['string', 'number', 'boolean', 'null', 'array', 'object'];
const samples = { key: 'city', value: 'Paris' };
const anyKey = { hole: 'key' } as const;

/** What ends arguments. */
export interface ArgumentEnds {
  /** Markers that end them; seen, not consumed. */
  readonly markers: readonly MarkerChoice[];
  /** What may follow a call. */
  readonly followers: readonly KeyedText[];
  /** Where the end of the response leads: only of calls that nothing closes. */
  readonly atEnd: { readonly atEnd?: StateName };
}

/** States of the arguments; `open` says that the call is not complete when they are. */
export function entryStates(
  calls: CallsFormat,
  format: EntryArguments,
  ends: ArgumentEnds,
  open: { readonly open?: true },
): readonly StateSpec[] {
  return [
    beforeArguments(format, ends),
    beforeKey(format, ends),
    keyState(
      'inKey',
      "In an argument's name.",
      keyEnd(format.entry.key, frames(format)),
      entryPlace(calls, format, ends.followers),
      format.entry.open,
    ),
    valueState(format),
    afterEntry(calls, format, ends),
    {
      name: 'argumentsEnded',
      title: 'Behind the last argument.',
      picture: picture(sampleEntry(format), format.close, calls.call.close),
      step: { use: 'endArguments', table: { next: behindArguments(calls), ...open } },
    },
    ...(format.nested === null ? [] : nestedStates(calls, format, format.nested)),
  ];
}

/** Where a key begins: behind its opener or, where it has none, at once. */
function keyChoices(format: EntryArguments): readonly MarkerChoice[] {
  return isBlank(format.entry.open) ? [] : [{ marker: format.entry.open, next: 'inKey' }];
}

function keyWithoutOpener(format: EntryArguments): { readonly otherwise?: StateName } {
  return isBlank(format.entry.open) ? { otherwise: 'inKey' } : {};
}

function beforeArguments(format: EntryArguments, ends: ArgumentEnds): StateSpec {
  const opened = isBlank(format.open) ? [] : [{ marker: format.open, next: 'beforeKey' }];
  const empty = isBlank(format.empty) ? [] : [{ marker: format.empty, next: 'argumentsEnded' }];
  return {
    name: 'beforeArguments',
    title: 'Before the first argument, or the end of a call without any.',
    picture: picture('', format.open, format.entry.open + samples.key + format.entry.key),
    step: {
      use: 'expect',
      table: {
        choices: [...opened, ...empty, ...keyChoices(format), ...ends.markers],
        ...(opened.length > 0 ? {} : keyWithoutOpener(format)),
        ...ends.atEnd,
        recover,
      },
    },
  };
}

function beforeKey(format: EntryArguments, ends: ArgumentEnds): StateSpec {
  return {
    name: 'beforeKey',
    title: 'Before an argument.',
    picture: picture(format.separator, format.entry.open, samples.key + format.entry.key),
    step: {
      use: 'expect',
      table: { choices: [...keyChoices(format), ...ends.markers], ...keyWithoutOpener(format), recover },
    },
  };
}

function keyState(
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
    step: { use: 'readHole', table: { hole: 'key', ...end, place, recover } },
  };
}

interface KeyEnd {
  readonly ends: readonly MarkerChoice[];
  readonly space?: StateName;
  readonly gap?: string;
}

/** What stands behind a key: its own marker or, where that is blank, the opener of a frame, or white space. */
function keyEnd(marker: string, valueFrames: readonly FrameChoice[]): KeyEnd {
  if (!isBlank(marker)) return { ends: [{ marker, next: 'inValue' }] };
  const openers = new Set(valueFrames.map(({ open }) => open));
  const ends = [...openers]
    .filter((open) => !isBlank(open))
    .map((open) => ({ marker: open, next: 'inValue', peek: true as const }));
  return ends.length === 0 && marker !== '' ? { ends, space: 'inValue', gap: marker } : { ends };
}

function entryPlace(
  calls: CallsFormat,
  format: EntryArguments,
  followers: readonly KeyedText[],
): ValuePlace<StateName> {
  return {
    kind: 'entry',
    close: format.entry.close,
    continuations: entryContinuations(calls, format, followers),
    next: 'afterEntry',
  };
}

/** What can follow an entry: another one, or the end of the arguments and of the call. */
function entryContinuations(
  calls: CallsFormat,
  format: EntryArguments,
  followers: readonly KeyedText[],
): readonly KeyedText[] {
  const behindKey = core(format.entry.key);
  const another = keyed([core(format.separator), core(format.entry.open), anyKey, behindKey]);
  const next = isBlank(format.entry.open)
    ? [another]
    : [keyed([core(format.separator), core(format.entry.open)])];
  const closing = closingPieces(calls).map(core);
  const [first = ''] = closing;
  if (first === '') return [...next, ...followers];
  if (first.length > 1) return [...next, [first]];
  if (closing.length > 1) return [...next, keyed(closing)];
  // An end of one character, such as `)`, is none by itself: what follows the call must follow it.
  return [...next, ...(followers.length === 0 ? [[]] : followers).map((text) => [...closing, ...text])];
}

function keyed(parts: KeyedText): KeyedText {
  return parts.filter((part) => part !== '');
}

/** The frames, those of one opener and closer taken together. */
function frames(format: EntryArguments): readonly FrameChoice[] {
  const groups = new Map<string, { frame: ValueFrame; types: JsonType[]; quoted: boolean }>();
  const add = (type: JsonType, given: ValueFrame) => {
    if (given.codec === 'absent') return;
    const frame = given.codec === 'escaped' ? withoutQuotes(given) : given;
    const key = JSON.stringify([frame.open, frame.close]);
    const group = groups.get(key) ?? { frame, types: [], quoted: false };
    group.types.push(type);
    if (type === 'string' && frame.codec !== 'raw') group.quoted = true;
    groups.set(key, group);
  };
  for (const type of jsonTypes) add(type, format.frames[type]);
  if (format.integer !== undefined) add('number', format.integer);
  if (format.alternativeString !== null) add('string', format.alternativeString);
  return [...groups.values()].map(({ frame, types, quoted }) => ({
    open: frame.open,
    close: frame.close,
    types,
    quoted,
  }));
}

/** The quotes of an escaped string belong to it, as those of a literal in JSON or Python do. */
function withoutQuotes(frame: ValueFrame): ValueFrame {
  return { ...frame, open: frame.open.slice(0, -1), close: frame.close.slice(1) };
}

function valueState(format: EntryArguments): StateSpec {
  const { open, close } = format.frames.string;
  return {
    name: 'inValue',
    title: "In an argument's value.",
    picture: picture(format.entry.key, open + samples.value + close, sampleClose(format.entry.close)),
    step: {
      use: 'readValue',
      table: {
        frames: frames(format),
        nested: format.nested === null ? null : nestedTable(format.nested, format.frames),
        recover,
      },
    },
  };
}

/** A value with all that ends its entry. */
function sampleEntry({ entry, frames }: EntryArguments): string {
  return frames.string.open + samples.value + frames.string.close + sampleClose(entry.close);
}

function sampleClose(close: KeyedText): string {
  return close.map((part) => (typeof part === 'string' ? part : samples.key)).join('');
}

function afterEntry(calls: CallsFormat, format: EntryArguments, ends: ArgumentEnds): StateSpec {
  const separator = isBlank(format.separator) ? [] : [{ marker: format.separator, next: 'beforeKey' }];
  return {
    name: 'afterEntry',
    title: 'Behind an argument.',
    picture: picture(sampleEntry(format), format.separator, calls.call.close),
    step: {
      use: 'expect',
      table: {
        choices: [...separator, ...keyChoices(format), ...ends.markers],
        ...(separator.length > 0 ? {} : keyWithoutOpener(format)),
        ...ends.atEnd,
        recover,
      },
    },
  };
}

/**
 * Containers without brackets of their own begin with the marker of their first part. Those that are JSON all
 * the same have no opener here.
 */
function nestedTable(
  { object, array }: NestedFormat,
  { object: objectFrame, array: arrayFrame }: EntryArguments['frames'],
): NestedTable<StateName> {
  const opener = (own: string, part: string) => (isBlank(own) ? part : own);
  return {
    objectOpen: objectFrame.codec === 'nested' ? opener(object.open, object.keyOpen) : '',
    object: 'inObject',
    objectPeek: isBlank(object.open),
    arrayOpen: arrayFrame.codec === 'nested' ? opener(array.open, array.itemOpen) : '',
    array: 'inArray',
    arrayPeek: isBlank(array.open),
  };
}

function nestedStates(
  calls: CallsFormat,
  format: EntryArguments,
  nested: NestedFormat,
): readonly StateSpec[] {
  return [...objectStates(format, nested), ...arrayStates(nested), endState(calls, format)];
}

function endState(calls: CallsFormat, format: EntryArguments): StateSpec {
  return {
    name: 'nestedEnded',
    title: 'Behind a nested value.',
    picture: picture(samples.value, '', sampleClose(format.entry.close) + calls.call.close),
    step: { use: 'endNested', table: { recover } },
  };
}

function objectStates(format: EntryArguments, { object }: NestedFormat): readonly StateSpec[] {
  const close = isBlank(object.close) ? [] : [{ marker: object.close, next: 'nestedEnded' }];
  const key = isBlank(object.keyOpen) ? [] : [{ marker: object.keyOpen, next: 'inObjectKey' }];
  const separator = isBlank(object.separator) ? [] : [{ marker: object.separator, next: 'beforeObjectKey' }];
  const atKey =
    key.length > 0 ? (close.length > 0 ? {} : { otherwise: 'nestedEnded' }) : { otherwise: 'inObjectKey' };
  const another = keyed([core(object.separator), core(object.keyOpen), anyKey, core(object.keyClose)]);
  const enclosing = close.length > 0 ? {} : { enclosing: 'nestedEnded' };
  const place: ValuePlace<StateName> = {
    kind: 'property',
    close: object.entryClose,
    continuations: close.length > 0 ? [another, [core(object.close)]] : [],
    next: 'afterProperty',
  };
  const expectKey = (name: StateName, title: string): StateSpec => ({
    name,
    title,
    picture: picture(object.open, object.keyOpen, samples.key + object.keyClose),
    step: { use: 'expect', table: { choices: [...key, ...close], ...enclosing, ...atKey, recover } },
  });
  return [
    expectKey('inObject', 'In a nested object, before its first key.'),
    expectKey('beforeObjectKey', 'In a nested object, before another key.'),
    keyState(
      'inObjectKey',
      'In a key of a nested object.',
      keyEnd(object.keyClose, frames(format)),
      place,
      object.keyOpen,
    ),
    {
      name: 'afterProperty',
      title: 'Behind a property of a nested object.',
      picture: picture(samples.value, object.separator, object.keyOpen),
      step: {
        use: 'expect',
        table: {
          choices: [...separator, ...close, ...(separator.length > 0 ? [] : key)],
          ...enclosing,
          ...(close.length > 0 ? {} : { otherwise: 'nestedEnded' }),
          recover,
        },
      },
    },
  ];
}

function arrayStates({ array }: NestedFormat): readonly StateSpec[] {
  const close = isBlank(array.close) ? [] : [{ marker: array.close, next: 'nestedEnded' }];
  const item = isBlank(array.itemOpen) ? [] : [{ marker: array.itemOpen, next: 'inItem' }];
  const separator = isBlank(array.separator) ? [] : [{ marker: array.separator, next: 'beforeItem' }];
  const atItem =
    item.length > 0 ? (close.length > 0 ? {} : { otherwise: 'nestedEnded' }) : { otherwise: 'inItem' };
  const enclosing = close.length > 0 ? {} : { enclosing: 'nestedEnded' };
  const place: ValuePlace<StateName> = {
    kind: 'item',
    close: pieces(array.itemClose).length === 0 ? [] : [array.itemClose],
    continuations: close.length > 0 ? [[core(array.separator)], [core(array.close)]] : [],
    next: 'afterItem',
  };
  const expectItem = (name: StateName, title: string): StateSpec => ({
    name,
    title,
    picture: picture(array.open, array.itemOpen, samples.value),
    step: { use: 'expect', table: { choices: [...item, ...close], ...enclosing, ...atItem, recover } },
  });
  return [
    expectItem('inArray', 'In a nested array, before its first item.'),
    expectItem('beforeItem', 'In a nested array, before another item.'),
    {
      name: 'inItem',
      title: 'At an item of a nested array.',
      picture: picture(array.itemOpen, '', samples.value),
      step: { use: 'beginItem', table: { place, next: 'inValue' } },
    },
    {
      name: 'afterItem',
      title: 'Behind an item of a nested array.',
      picture: picture(samples.value, array.separator, array.itemOpen),
      step: {
        use: 'expect',
        table: {
          choices: [...separator, ...close, ...(separator.length > 0 ? [] : item)],
          ...enclosing,
          ...(close.length > 0 ? {} : { otherwise: 'nestedEnded' }),
          recover,
        },
      },
    },
  ];
}
