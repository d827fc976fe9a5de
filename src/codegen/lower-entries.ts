/** Lowers arguments that are written as entries. */
import type { EntryArguments } from '../format/chat-format.ts';
import type { KeyedText, ValuePlace } from '../parser/state-tables.ts';
import { argumentsEnd, expect, value } from '../parser/steps/steps.ts';
import type { CallPlan } from './call-plan.ts';
import { sampleParts, samples } from './call-samples.ts';
import { anyKey, frames, keyEnd, keyed, keyState, sampleClose, sampleValue } from './entry-parts.ts';
import { containerOpenings, nestedStates } from './lower-nested.ts';
import { isBlank, isSignificant } from './marker-text.ts';
import { picture } from './pictures.ts';
import { choicesOf, distinct, type MarkerChoice, type StateName, type StateSpec } from './states.ts';

/** The ends of arguments. */
export interface ArgumentEnds {
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
  plan: CallPlan,
  format: EntryArguments,
  ends: ArgumentEnds,
  open: { readonly open?: true },
): readonly StateSpec[] {
  const { calls, afterArguments } = plan;
  const head = sampleParts(calls.head);
  const end = sampleParts(calls.tail) + calls.call.close;
  return [
    beforeArguments(format, ends, head),
    beforeKey(format, ends),
    keyState(
      'inKey',
      "In an argument's name.",
      keyEnd('keyEnd', format.entry.key, frames(format)),
      entryPlace(plan, format, ends.followers),
      head + format.open + format.entry.open,
    ),
    valueState(format),
    afterEntry(format, ends, end),
    {
      name: 'argumentsEnded',
      title: 'After the last argument.',
      picture: picture(sampleEntry(format), format.close, end),
      step: argumentsEnd({ next: afterArguments, ...open }),
    },
    ...(format.nested === null ? [] : nestedStates(calls, format, format.nested)),
  ];
}

/** Where a key begins: after its opener or, without one, at once. */
function keyChoices(format: EntryArguments): readonly MarkerChoice[] {
  return choicesOf('keyOpen', [format.entry.open], 'inKey');
}

function keyWithoutOpener(format: EntryArguments): { readonly otherwise?: StateName } {
  return isBlank(format.entry.open) ? { otherwise: 'inKey' } : {};
}

function beforeArguments(format: EntryArguments, ends: ArgumentEnds, head: string): StateSpec {
  const opened = choicesOf('argumentsOpen', [format.open], 'beforeKey');
  const empty = choicesOf('noArguments', [format.empty], 'argumentsEnded');
  return {
    name: 'beforeArguments',
    title: 'Before the first argument, or the end of a call without any.',
    picture: picture(head, format.open, format.entry.open + samples.key + format.entry.key),
    step: expect({
      choices: distinct([...opened, ...empty, ...keyChoices(format), ...ends.markers]),
      ...(opened.length > 0 ? {} : keyWithoutOpener(format)),
      ...ends.atEnd,
    }),
  };
}

function beforeKey(format: EntryArguments, ends: ArgumentEnds): StateSpec {
  return {
    name: 'beforeKey',
    title: 'Before an argument.',
    picture: picture(
      sampleEntry(format) + format.separator,
      format.entry.open,
      samples.nextKey + format.entry.key,
    ),
    step: expect({
      choices: distinct([...keyChoices(format), ...ends.markers]),
      ...keyWithoutOpener(format),
    }),
  };
}

function entryPlace(
  plan: CallPlan,
  format: EntryArguments,
  followers: readonly KeyedText[],
): ValuePlace<StateName> {
  return {
    kind: 'entry',
    close: format.entry.close,
    continuations: entryContinuations(plan, format, followers),
    ...anotherEntry(format),
    next: 'afterEntry',
  };
}

function anotherEntry({ entry }: EntryArguments): Pick<ValuePlace<StateName>, 'another'> {
  const open = entry.open.trim();
  const keyEnd = entry.key.trim();
  return isSignificant(open) && keyEnd !== '' ? { another: { open, keyEnd } } : {};
}

/** What may follow an entry: another one, or the end of the arguments and of the call. */
function entryContinuations(
  plan: CallPlan,
  format: EntryArguments,
  followers: readonly KeyedText[],
): readonly KeyedText[] {
  const afterKey = format.entry.key.trim();
  const another = keyed([format.separator.trim(), format.entry.open.trim(), anyKey, afterKey]);
  const next = isBlank(format.entry.open)
    ? [another]
    : [keyed([format.separator.trim(), format.entry.open.trim()])];
  const closing = plan.closing.flatMap(({ part }) => (typeof part === 'string' ? [part.trim()] : []));
  const [first = ''] = closing;
  if (first === '') return [...next, ...followers];
  if (first.length > 1) return [...next, [first]];
  if (closing.length > 1) return [...next, keyed(closing)];
  // A closer of one character, such as `)`, counts only before text that may follow the call.
  return [...next, ...(followers.length === 0 ? [[]] : followers).map((text) => [...closing, ...text])];
}

function valueState(format: EntryArguments): StateSpec {
  const { entry } = format;
  return {
    name: 'inValue',
    title: "In an argument's value.",
    picture: picture(entry.open + samples.key + entry.key, sampleValue(format), sampleClose(entry.close)),
    step: value({ frames: frames(format), ...containerOpenings(format) }),
  };
}

/** A whole entry. */
function sampleEntry(format: EntryArguments): string {
  const { open, key, close } = format.entry;
  return open + samples.key + key + sampleValue(format) + sampleClose(close);
}

function afterEntry(format: EntryArguments, ends: ArgumentEnds, end: string): StateSpec {
  const separator = choicesOf('argumentSeparator', [format.separator], 'beforeKey');
  return {
    name: 'afterEntry',
    title: 'After an argument.',
    picture: picture(
      sampleEntry(format),
      format.separator,
      format.separator === '' ? format.close + end : format.entry.open + samples.nextKey + format.entry.key,
    ),
    step: expect({
      choices: distinct([...separator, ...keyChoices(format), ...ends.markers, ...ends.turnEnds]),
      ...(separator.length > 0 ? {} : keyWithoutOpener(format)),
      ...ends.atEnd,
    }),
  };
}
