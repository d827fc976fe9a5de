/** Arguments written as entries, in notations made for tests. */
import type { EntryArguments, EntryFormat, JsonStyle, ValueFrame } from '../../src/format/chat-format.ts';

const style: JsonStyle = {
  itemSeparator: ', ',
  keySeparator: ': ',
  indent: null,
  ascii: false,
  sortKeys: false,
};
const raw: ValueFrame = { open: '', close: '', codec: 'raw' };
const json: ValueFrame = { open: '', close: '', codec: 'json' };
const nested: ValueFrame = { open: '', close: '', codec: 'nested' };
const scalars = { number: json, boolean: json, null: json };

/** Entries in markers, strings as they are and other values as JSON: `<parameter=a>\n…\n</parameter>\n`. */
export function taggedEntries(entry: EntryFormat): EntryArguments {
  return {
    kind: 'entries',
    open: '',
    close: '',
    entry,
    separator: '',
    empty: '',
    frames: { ...scalars, string: raw, array: json, object: json },
    alternativeString: null,
    nested: null,
    style,
    sorted: false,
  };
}

/** Containers in a notation of the format's own, strings between `quote`s: `{a:$x$,b:[1,2]}`. */
export function bracedEntries(quote: string): EntryArguments {
  const quoted: ValueFrame = { open: quote, close: quote, codec: 'raw' };
  return {
    ...taggedEntries({ open: '', key: ':', close: [] }),
    open: '{',
    close: '}',
    separator: ',',
    empty: '{}',
    frames: { ...scalars, string: quoted, array: nested, object: nested },
    nested: {
      object: { open: '{', close: '}', separator: ',', keyOpen: '', keyClose: ':', entryClose: [] },
      array: { open: '[', close: ']', separator: ',', itemOpen: '', itemClose: '' },
    },
  };
}

/** A Python call's keywords, every value in `frame` and strings in another, where there is one: `a='x', b=1`. */
export function keywordEntries(frame: ValueFrame, string: ValueFrame = frame): EntryArguments {
  return {
    ...taggedEntries({ open: '', key: '=', close: [] }),
    separator: ', ',
    frames: { string, number: frame, boolean: frame, null: frame, array: frame, object: frame },
  };
}
