/**
 * Values of all types between the same marker, which opens and closes them: `<escape>2<escape>`. Such a marker is a
 * quote of strings, not part of the key: the template quotes whatever it prints, and its renders do not show how the
 * model writes the other types.
 */
import type { NestedFormat, ValueFrame } from '../../format/chat-format.ts';
import type { EvidenceLog } from '../evidence.ts';
import { isMarker, tokens } from '../literals/tokens.ts';
import type { InferredFrames } from './frames.ts';

/** The literals next to the entries. */
export interface AroundEntries {
  /** Between the tool's name and the first entry: `{`. */
  readonly headEnd: string;
  /** Before a key. */
  readonly keyOpen: string;
  readonly separator: string;
  /** After the last entry. */
  readonly callClose: string;
}

/** The frames with the quote around strings alone, and all else as the field writes it; `null` if there is no quote. */
export function withQuotedStrings(
  inferred: InferredFrames,
  around: AroundEntries,
  log: EvidenceLog,
): InferredFrames | null {
  const { entryKey, entryClose, frames } = inferred;
  const quote = tokens(entryKey).at(-1) ?? '';
  const isQuote = isMarker(quote) && entryClose.startsWith(quote) && entryKey.length > quote.length;
  if (!isQuote || frames.string.codec !== 'raw' || frames.string.open !== '') return null;
  const key = entryKey.slice(0, entryKey.length - quote.length);
  const nested = containersLikeCalls(key, around);
  const bare: ValueFrame = { open: '', close: '', codec: 'json' };
  const container: ValueFrame = nested === null ? bare : { ...bare, codec: 'nested' };
  log.withdraw('calls.arguments.frames');
  const reason = 'values of all types stand in the same quote, which is taken for that of strings';
  log.support('calls.arguments.frames', 'value-number', entryKey, reason, 'convention');
  const message =
    `finished turns write ${JSON.stringify(quote)} around values of every type: it is taken for the quote of ` +
    'strings, and numbers, words and containers are taken to be written without it';
  log.warn({ field: 'calls.arguments.frames', kind: 'assumed', message, rendered: entryKey });
  return {
    ...inferred,
    entryKey: key,
    entryClose: entryClose.slice(quote.length),
    frames: {
      string: { open: quote, close: quote, codec: 'raw' },
      number: bare,
      boolean: bare,
      null: bare,
      array: container,
      object: container,
    },
    integer: null,
    nested,
    areTypesUnshown: true,
  };
}

/** Objects written as the arguments are, `{a:1,b:2}`, and lists likewise; `null` if no braces enclose the arguments. */
function containersLikeCalls(
  key: string,
  { headEnd, keyOpen, separator, callClose }: AroundEntries,
): NestedFormat | null {
  if (!headEnd.endsWith('{') || !callClose.startsWith('}') || separator === '') return null;
  return {
    object: { open: '{', close: '}', separator, keyOpen, keyClose: key, entryClose: [] },
    array: { open: '[', close: ']', separator, itemOpen: '', itemClose: '' },
  };
}
