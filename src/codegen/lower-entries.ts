/** Lowers arguments that are written as entries. */
import type { KeyedText } from '../format/chat-format.ts';
import type { EntriesLayout } from '../layout/entries.ts';
import { coresOf, Marker } from '../layout/marker.ts';
import type { CallsLayout } from '../layout/turn-layout.ts';
import { state } from '../parser/named-states.ts';
import type { ValuePlace } from '../parser/state-tables.ts';
import { sampleParts, samples } from './call-samples.ts';
import { closingState } from './call-states.ts';
import { anyKey, frames, keyEnd, keyed, keyState, sampleClose, sampleValue } from './entry-parts.ts';
import { containerOpenings, nestedStates } from './lower-nested.ts';
import { picture } from './pictures.ts';
import { choicesOf, distinct, type MarkerChoice, type StateName, type StateSpec } from './states.ts';

/** The ends of arguments. */
interface ArgumentEnds {
  /** Markers that end them; peeked, not consumed. */
  readonly markers: readonly MarkerChoice[];
  /** Ends of the turn that come before the call's closer; peeked, not consumed. */
  readonly turnEnds: readonly MarkerChoice[];
  /** What may follow a call. */
  readonly followers: readonly KeyedText[];
  /** Where the end of the response leads; only for calls that nothing closes. */
  readonly atEnd: { readonly atEnd?: StateName };
}

/** The states of the arguments; `open`: the call continues after them. */
export function entryStates(
  calls: CallsLayout,
  format: EntriesLayout,
  ends: ArgumentEnds,
  open: { readonly open?: true },
): readonly StateSpec[] {
  const head = sampleParts(calls.head);
  const end = sampleParts(calls.tail) + calls.call.close.text;
  return [
    beforeArguments(format, ends, head),
    beforeKey(format, ends),
    keyState(
      'inKey',
      "In an argument's name.",
      keyEnd('keyEnd', format.entry.key, frames(format)),
      entryPlace(calls, format, ends.followers),
      head + format.open.text + format.entry.open.text,
    ),
    valueState(format),
    afterEntry(format, ends, end),
    {
      name: 'argumentsEnded',
      title: 'After the last argument.',
      picture: picture(sampleEntry(format), format.close.text, end),
      step: state('argumentsEnd', { next: closingState(calls, 0), ...open }),
    },
    ...(format.nested === null ? [] : nestedStates(calls, format, format.nested)),
  ];
}

/** Where a key begins: after its opener or, without one, at once. */
function keyChoices(format: EntriesLayout): readonly MarkerChoice[] {
  return choicesOf('keyOpen', [format.entry.open], 'inKey');
}

function keyWithoutOpener(format: EntriesLayout): { readonly otherwise?: StateName } {
  return format.entry.open.isBlank ? { otherwise: 'inKey' } : {};
}

function beforeArguments(format: EntriesLayout, ends: ArgumentEnds, head: string): StateSpec {
  const opened = choicesOf('argumentsOpen', [format.open], 'beforeKey');
  const empty = choicesOf('noArguments', [format.empty], 'argumentsEnded');
  return {
    name: 'beforeArguments',
    title: 'Before the first argument, or the end of a call without any.',
    picture: picture(head, format.open.text, format.entry.open.text + samples.key + format.entry.key.text),
    step: state('expect', {
      choices: distinct([...opened, ...empty, ...keyChoices(format), ...ends.markers]),
      ...(opened.length > 0 ? {} : keyWithoutOpener(format)),
      ...ends.atEnd,
    }),
  };
}

function beforeKey(format: EntriesLayout, ends: ArgumentEnds): StateSpec {
  return {
    name: 'beforeKey',
    title: 'Before an argument.',
    picture: picture(
      sampleEntry(format) + format.separator.text,
      format.entry.open.text,
      samples.nextKey + format.entry.key.text,
    ),
    step: state('expect', {
      choices: distinct([...keyChoices(format), ...ends.markers]),
      ...keyWithoutOpener(format),
    }),
  };
}

function entryPlace(
  calls: CallsLayout,
  format: EntriesLayout,
  followers: readonly KeyedText[],
): ValuePlace<StateName> {
  return {
    kind: 'entry',
    close: format.entry.close,
    continuations: entryContinuations(calls, format, followers),
    ...anotherEntry(format),
    ...callMarkers(calls, format),
    next: 'afterEntry',
  };
}

/**
 * The markers by which a value that quotes a call is recognised: those of a call or, if it has none, of the section.
 * None if they occur in other text.
 */
function callMarkers(
  calls: CallsLayout,
  { frames: { string } }: EntriesLayout,
): Pick<ValuePlace<StateName>, 'calls'> {
  const { opening, head, closing, closers, close } = calls;
  const inHead = head.flatMap((part) => (typeof part === 'string' ? new Marker(part).pieces : []));
  const links = opening.map(({ marker }) => marker);
  const own = opening.filter(({ section }) => !section).map(({ marker }) => marker);
  const ends = [
    ...closing.map((part) => (part instanceof Marker ? part.core : anyKey)),
    ...coresOf(close.pieces),
  ];
  const pairs = [
    { opens: [...inHead, ...(own.length > 0 ? own : links.slice(-1))], closes: closers },
    // Literals need none, and text may follow a section in its line. What is pasted into quotes is no literal.
    ...(string.codec === 'raw' || string.pasted !== undefined
      ? [{ opens: links, closes: close.pieces }]
      : []),
  ];
  for (const { opens, closes } of pairs) {
    const open = opens.findLast(({ isSignificant }) => isSignificant);
    const closed = closes.find(({ isSignificant }) => isSignificant);
    if (closed === undefined) continue;
    const begin = open?.core ?? tagBefore(head, closed.core);
    if (begin !== null) return { calls: { open: begin, close: closed.core, closing: keyed(ends) } };
  }
  return {};
}

/** The beginning of the tag in the head of a call that its closer closes. */
function tagBefore(head: CallsLayout['head'], closer: string): string | null {
  const tag = closer.replace('</', '<').replace(/>$/, '');
  return tag.startsWith('<') && head.some((part) => typeof part === 'string' && part.includes(tag))
    ? tag
    : null;
}

function anotherEntry({ entry }: EntriesLayout): Pick<ValuePlace<StateName>, 'another'> {
  const { open, key } = entry;
  return open.isSignificant && !key.isBlank ? { another: { open: open.core, keyEnd: key.core } } : {};
}

/** What may follow an entry: another one, or the end of the arguments and of the call. */
function entryContinuations(
  calls: CallsLayout,
  format: EntriesLayout,
  followers: readonly KeyedText[],
): readonly KeyedText[] {
  const { separator, entry } = format;
  const opened = [separator.core, entry.open.core];
  const next = [keyed(entry.open.isBlank ? [...opened, anyKey, entry.key.core] : opened)];
  const closing = calls.closers.map(({ core }) => core);
  const [first = ''] = closing;
  if (first === '') return [...next, ...followers];
  if (first.length > 1) return [...next, [first]];
  if (closing.length > 1) return [...next, keyed(closing)];
  // A closer of one character, such as `)`, counts only before text that may follow the call.
  return [...next, ...(followers.length === 0 ? [[]] : followers).map((text) => [...closing, ...text])];
}

function valueState(format: EntriesLayout): StateSpec {
  const { entry } = format;
  return {
    name: 'inValue',
    title: "In an argument's value.",
    picture: picture(
      entry.open.text + samples.key + entry.key.text,
      sampleValue(format),
      sampleClose(entry.close),
    ),
    step: state('value', { frames: frames(format), ...containerOpenings(format) }),
  };
}

/** A whole entry. */
function sampleEntry(format: EntriesLayout): string {
  const { open, key, close } = format.entry;
  return open.text + samples.key + key.text + sampleValue(format) + sampleClose(close);
}

function afterEntry(format: EntriesLayout, ends: ArgumentEnds, end: string): StateSpec {
  const separator = choicesOf('argumentSeparator', [format.separator], 'beforeKey');
  return {
    name: 'afterEntry',
    title: 'After an argument.',
    picture: picture(
      sampleEntry(format),
      format.separator.text,
      format.separator.text === ''
        ? format.close.text + end
        : format.entry.open.text + samples.nextKey + format.entry.key.text,
    ),
    step: state('expect', {
      choices: distinct([...separator, ...keyChoices(format), ...ends.markers, ...ends.turnEnds]),
      ...(separator.length > 0 ? {} : keyWithoutOpener(format)),
      ...ends.atEnd,
    }),
  };
}
