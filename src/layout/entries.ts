/** Arguments that are written as entries: their markers. */
import type { EntryArguments, KeyedText } from '../format/chat-format.ts';
import { type Marked, markersOf } from './marker.ts';

/** The markers of entries. Those of values stay with their frames. */
export interface EntriesLayout
  extends Pick<EntryArguments, 'frames' | 'integer' | 'alternativeString'>,
    Marked<'open' | 'close' | 'separator' | 'empty'> {
  readonly entry: Marked<'open' | 'key'> & { readonly close: KeyedText };
  /** The format's own notation of nested values; `null` if it has none. */
  readonly nested: NestedLayout | null;
}

/** The markers of nested values. */
export interface NestedLayout {
  readonly object: Marked<'open' | 'close' | 'separator' | 'keyOpen' | 'keyClose'> & {
    readonly entryClose: KeyedText;
  };
  readonly array: Marked<'open' | 'close' | 'separator' | 'itemOpen' | 'itemClose'>;
}

/** The markers of `values`. */
export function entriesLayout(values: EntryArguments): EntriesLayout {
  const { open, close, separator, empty, entry, nested } = values;
  return {
    ...values,
    ...markersOf({ open, close, separator, empty }),
    entry: { ...markersOf({ open: entry.open, key: entry.key }), close: entry.close },
    nested: nested === null ? null : nestedLayout(nested),
  };
}

function nestedLayout({ object, array }: NonNullable<EntryArguments['nested']>): NestedLayout {
  const { entryClose, ...literals } = object;
  return { object: { ...markersOf(literals), entryClose }, array: markersOf(array) };
}
