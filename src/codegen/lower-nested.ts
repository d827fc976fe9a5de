/** Lowers nested values in a format's own notation: objects and arrays that are not JSON. */
import type { EntriesLayout, NestedLayout } from '../layout/entries.ts';
import type { Marker } from '../layout/marker.ts';
import type { CallsLayout } from '../layout/turn-layout.ts';
import { type NamedState, state } from '../parser/named-states.ts';
import type { ContainerOpening, ValuePlace, ValueTable } from '../parser/state-tables.ts';
import { sampleParts, samples } from './call-samples.ts';
import { anyKey, frames, keyEnd, keyed, keyState, sampleClose, sampleValue } from './entry-parts.ts';
import { picture } from './pictures.ts';
import { choicesOf, distinct, type StateName, type StateSpec } from './states.ts';

/** How objects and arrays begin in the format's own notation. */
export function containerOpenings({
  nested,
  frames: { object, array },
}: EntriesLayout): Pick<ValueTable<StateName>, 'object' | 'array'> {
  if (nested === null) return {};
  return {
    ...(object.codec === 'nested' ? { object: objectOpening(nested) } : {}),
    ...(array.codec === 'nested' ? { array: arrayOpening(nested) } : {}),
  };
}

function objectOpening({ object: { open, keyOpen } }: NestedLayout): ContainerOpening<StateName> {
  return containerOpening(open, keyOpen, 'inObject');
}

function arrayOpening({ array: { open, itemOpen } }: NestedLayout): ContainerOpening<StateName> {
  return containerOpening(open, itemOpen, 'inArray');
}

/** A container without an opening bracket begins with the marker of its first element. */
function containerOpening(open: Marker, elementOpen: Marker, next: StateName): ContainerOpening<StateName> {
  return open.isBlank ? { open: elementOpen.text, next, peek: true } : { open: open.text, next };
}

/** The states of objects and arrays, and the state after either. */
export function nestedStates(
  calls: CallsLayout,
  format: EntriesLayout,
  nested: NestedLayout,
): readonly StateSpec[] {
  return [...objectStates(format, nested), ...arrayStates(format, nested), endState(calls, format, nested)];
}

function endState(calls: CallsLayout, format: EntriesLayout, { object }: NestedLayout): StateSpec {
  const end = format.close.text + sampleParts(calls.tail) + calls.call.close.text;
  return {
    name: 'nestedEnded',
    title: 'After a nested value.',
    picture: picture(
      object.open.text + sampleProperty(format, object) + object.close.text,
      '',
      sampleClose(format.entry.close) + end,
    ),
    step: state('nestedEnd', {}),
  };
}

function sampleProperty(format: EntriesLayout, object: NestedLayout['object']): string {
  const { keyOpen, keyClose, entryClose } = object;
  return keyOpen.text + samples.key + keyClose.text + sampleValue(format) + sampleClose(entryClose);
}

/** The states before and after an element of a container (a property or an item). */
interface ElementSteps {
  readonly before: NamedState;
  readonly after: NamedState;
}

/**
 * `opener` begins an element, which the state `element` reads; `another` follows a separator. A container without a
 * closer ends where the surrounding text continues.
 */
function elementSteps(
  names: { readonly [part in 'close' | 'separator' | 'opener']: string },
  { close, separator, opener }: { readonly [part in 'close' | 'separator' | 'opener']: Marker },
  { element, another }: { readonly [place in 'element' | 'another']: StateName },
): ElementSteps {
  const closers = choicesOf(names.close, [close], 'nestedEnded');
  const openers = choicesOf(names.opener, [opener], element);
  const separators = choicesOf(names.separator, [separator], another);
  const unclosed = closers.length === 0;
  const enclosing = unclosed ? { enclosing: 'nestedEnded' } : {};
  const ended = unclosed ? { otherwise: 'nestedEnded' } : {};
  const atElement = openers.length === 0 ? { otherwise: element } : ended;
  const next = separators.length > 0 ? [] : openers;
  return {
    before: state('expect', { choices: distinct([...openers, ...closers]), ...enclosing, ...atElement }),
    after: state('expect', {
      choices: distinct([...separators, ...closers, ...next]),
      ...enclosing,
      ...ended,
    }),
  };
}

const propertyNames = { close: 'objectClose', separator: 'propertySeparator', opener: 'propertyKeyOpen' };
const itemNames = { close: 'arrayClose', separator: 'itemSeparator', opener: 'itemOpen' };

function objectStates(format: EntriesLayout, { object }: NestedLayout): readonly StateSpec[] {
  const { open, close, separator, keyOpen, keyClose } = object;
  const states = { element: 'inObjectKey', another: 'beforeObjectKey' };
  const { before, after } = elementSteps(propertyNames, { close, separator, opener: keyOpen }, states);
  const another = keyed([separator.core, keyOpen.core, anyKey, keyClose.core]);
  const place: ValuePlace<StateName> = {
    kind: 'property',
    close: object.entryClose,
    ...(close.isBlank ? {} : { continuations: [another, [close.core]] }),
    next: 'afterProperty',
  };
  const property = open.text + sampleProperty(format, object);
  return [
    {
      name: 'inObject',
      title: 'In a nested object, before its first key.',
      picture: picture(open.text, keyOpen.text, samples.key + keyClose.text),
      step: before,
    },
    {
      name: 'beforeObjectKey',
      title: 'In a nested object, before another key.',
      picture: picture(property + separator.text, keyOpen.text, samples.nextKey + keyClose.text),
      step: before,
    },
    keyState(
      'inObjectKey',
      'In a key of a nested object.',
      keyEnd('propertyKeyEnd', keyClose, frames(format)),
      place,
      open.text + keyOpen.text,
    ),
    {
      name: 'afterProperty',
      title: 'After a property of a nested object.',
      picture: picture(property, separator.text, keyOpen.text + samples.nextKey + keyClose.text),
      step: after,
    },
  ];
}

function arrayStates(format: EntriesLayout, { array }: NestedLayout): readonly StateSpec[] {
  const { open, close, separator, itemOpen, itemClose } = array;
  const states = { element: 'inItem', another: 'beforeItem' };
  const { before, after } = elementSteps(itemNames, { close, separator, opener: itemOpen }, states);
  const place: ValuePlace<StateName> = {
    kind: 'item',
    close: itemClose.isBlank ? [] : [itemClose.text],
    ...(close.isBlank ? {} : { continuations: [[separator.core], [close.core]] }),
    next: 'afterItem',
  };
  const value = sampleValue(format);
  const first = open.text + itemOpen.text + value + itemClose.text;
  return [
    {
      name: 'inArray',
      title: 'In a nested array, before its first item.',
      picture: picture(open.text, itemOpen.text, value),
      step: before,
    },
    {
      name: 'beforeItem',
      title: 'In a nested array, before another item.',
      picture: picture(first + separator.text, itemOpen.text, value),
      step: before,
    },
    {
      name: 'inItem',
      title: 'At an item of a nested array.',
      picture: picture(open.text + itemOpen.text, '', value),
      step: state('item', { place, next: 'inValue' }),
    },
    {
      name: 'afterItem',
      title: 'After an item of a nested array.',
      picture: picture(first, separator.text, itemOpen.text + value),
      step: after,
    },
  ];
}
