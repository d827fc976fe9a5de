/** Containers in a format's own notation, read by the repetition solver. */
import type { NestedFormat, ValueFrame } from '../../format/chat-format.ts';
import type { JsonValue } from '../../format/messages.ts';
import { solveRepetition } from '../literals/repetition.ts';
import { keyPlaceholder, withKeyHoles } from '../probes/placeholders.ts';
import { type ArgumentsInput, argumentRegion } from './argument-region.ts';

/** Infers objects and arrays between the literals `around`; `null` if a render shows no such structure. */
export function inferNested(
  texts: ArgumentsInput,
  string: ValueFrame,
  around: readonly [open: string, close: string],
): NestedFormat | null {
  const { inner, typed } = texts.prober.sentinels;
  const read = (key: string, value: JsonValue, label: string) => nestedText(texts, key, value, label, around);
  const object = readObject(
    texts,
    read(typed.object, { [inner[0]]: inner[1], [inner[2]]: inner[3] }, 'nested-object'),
    read(typed.object, {}, 'nested-empty-object'),
    string,
  );
  const array = readArray(
    texts,
    read(typed.array, [inner[0], inner[1]], 'nested-array'),
    read(typed.array, [], 'nested-empty-array'),
    string,
  );
  return object === null || array === null ? null : { object, array };
}

/** The text of the value alone, between its key's literals and the end of the entry. */
function nestedText(
  texts: ArgumentsInput,
  key: string,
  value: JsonValue,
  label: string,
  [open, close]: readonly [open: string, close: string],
): string | null {
  const region = argumentRegion(texts, key, value, label) || null;
  if (region === null || !region.startsWith(open) || !region.endsWith(close)) return null;
  const text = region.slice(open.length, region.length - close.length);
  texts.log.support(`calls.arguments.nested.${label}`, `value-${label}`, text, 'the container as rendered');
  return text;
}

function readObject(
  texts: ArgumentsInput,
  text: string | null,
  none: string | null,
  string: ValueFrame,
): NestedFormat['object'] | null {
  const { inner } = texts.prober.sentinels;
  const entries = [
    [inner[0], inner[1]],
    [inner[2], inner[3]],
  ] as const;
  if (text === null) return null;
  const [first, second] = entries
    .map(([key, value]) => ({ key, value, keyAt: text.indexOf(key), valueAt: text.indexOf(value) }))
    .sort((a, b) => a.keyAt - b.keyAt);
  if (first === undefined || second === undefined || first.keyAt < 0 || second.valueAt < 0) return null;
  const marked = (written: string) =>
    written.replaceAll(first.key, keyPlaceholder).replaceAll(second.key, keyPlaceholder);
  const keyToValue = text.slice(first.keyAt + first.key.length, first.valueAt);
  const between = marked(text.slice(first.valueAt + first.value.length, second.keyAt));
  const after = marked(text.slice(second.valueAt + second.value.length));
  const { open, close, separator, itemOpen, itemClose } = solveRepetition(
    {
      before: text.slice(0, first.keyAt),
      between: dropPrefix(between, string.close),
      after: dropPrefix(after, string.close),
      none,
    },
    texts.boundaries,
  );
  const keyClose = dropSuffix(keyToValue, string.open);
  return { open, close, separator, keyOpen: itemOpen, keyClose, entryClose: withKeyHoles(itemClose) };
}

function readArray(
  texts: ArgumentsInput,
  text: string | null,
  none: string | null,
  string: ValueFrame,
): NestedFormat['array'] | null {
  const { inner } = texts.prober.sentinels;
  const first = text?.indexOf(inner[0]) ?? -1;
  const second = text?.indexOf(inner[1]) ?? -1;
  if (text === null || first < 0 || second < 0) return null;
  const between = text.slice(first + inner[0].length, second);
  const { open, close, separator, itemOpen, itemClose } = solveRepetition(
    {
      before: dropSuffix(text.slice(0, first), string.open),
      between: dropSuffix(dropPrefix(between, string.close), string.open),
      after: dropPrefix(text.slice(second + inner[1].length), string.close),
      none,
    },
    texts.boundaries,
  );
  return { open, close, separator, itemOpen, itemClose };
}

function dropPrefix(text: string, prefix: string): string {
  return text.startsWith(prefix) ? text.slice(prefix.length) : text;
}

function dropSuffix(text: string, suffix: string): string {
  return text.endsWith(suffix) ? text.slice(0, text.length - suffix.length) : text;
}
