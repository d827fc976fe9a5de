/** Arguments as entries with markers of their own: how they repeat, and the frame of each type. */
import type {
  CallPart,
  EntryArguments,
  EntryFormat,
  NestedFormat,
  ValueFrame,
} from '../../format/chat-format.ts';
import type { EvidenceLog } from '../evidence.ts';
import { solveRepetition } from '../literals/repetition.ts';
import { isMarker, tokens } from '../literals/tokens.ts';
import { fillPlaceholders, likePattern, withKeyHoles, withKeyPlaceholders } from '../probes/placeholders.ts';
import { afterStart } from '../turn/rendered-turns.ts';
import type { CallSection, CallsInput } from './calls-input.ts';
import { type InferredFrames, inferFrames } from './frames.ts';

/** The entries, and the literals adjoining them. */
interface InferredEntries {
  readonly format: EntryArguments;
  /** The literal between the last hole of the head and the entries. */
  readonly headEnd: string;
  readonly callClose: string;
  /** No render shows how values other than strings are written. */
  readonly areTypesUnshown: boolean;
}

/** The literals around and between entries. */
interface EntryLiterals {
  readonly headEnd: string;
  readonly keyToValue: string;
  readonly between: string | null;
  readonly after: string;
  readonly sorted: boolean;
}

/** Infers the entries. */
export function inferEntries(
  texts: CallsInput,
  section: CallSection,
  head: readonly CallPart[],
): InferredEntries {
  const literals = entryLiterals(texts, section, head);
  const none = emptyCall(texts, section, literals);
  const quote = quoteOf(literals);
  const solved = solveRepetition(
    {
      before: literals.headEnd,
      between: literals.between?.slice(quote.length) ?? null,
      after: literals.after.slice(quote.length),
      none,
    },
    texts.boundaries,
  );
  const repetition = { ...solved, itemClose: quote + solved.itemClose };
  if (repetition.tie) {
    const message = 'what repeats between arguments can be cut in several ways that are equally good';
    texts.log.warn({
      field: 'calls.arguments.entry',
      kind: 'tie',
      message,
      rendered: literals.between ?? '',
    });
  }
  const { call } = texts.calls.spans[0];
  const after = fillPlaceholders(repetition.close, call, section.number) + section.close + texts.callsEnd;
  const shown = inferFrames(
    { ...texts, after, isPythonic: literals.headEnd.trimEnd().endsWith('(') },
    literals.keyToValue,
    repetition.itemClose,
  );
  const around: AroundEntries = {
    headEnd: repetition.open,
    keyOpen: repetition.itemOpen,
    separator: repetition.separator,
    callClose: repetition.close,
  };
  const frames = withQuotedStrings(shown, around, texts.log) ?? shown;
  const entry: EntryFormat = {
    open: repetition.itemOpen,
    key: frames.entryKey,
    close: withKeyHoles(frames.entryClose),
  };
  logEntries(texts, literals, none);
  return {
    headEnd: repetition.open,
    callClose: repetition.close,
    areTypesUnshown: frames.areTypesUnshown,
    format: {
      kind: 'entries',
      open: '',
      close: '',
      entry,
      separator: repetition.separator,
      empty: repetition.empty ?? '',
      frames: frames.frames,
      ...(frames.integer === null ? {} : { integer: frames.integer }),
      alternativeString: frames.alternativeString,
      nested: frames.nested,
      style: frames.style,
      sorted: literals.sorted,
    },
  };
}

/** The quote around values, which belongs to the entry on both sides; empty if there is none. */
function quoteOf({ keyToValue, between, after }: EntryLiterals): string {
  const quote = /["'`]$/.exec(keyToValue)?.[0] ?? '';
  return after.startsWith(quote) && between?.startsWith(quote) !== false ? quote : '';
}

function entryLiterals(texts: CallsInput, section: CallSection, parts: readonly CallPart[]): EntryLiterals {
  const span = texts.calls.spans[0];
  const { text } = texts.calls;
  const given = Object.keys(span.call.arguments);
  const placed = given
    .map((key) => {
      const value = String(span.call.arguments[key]);
      const valueAt = text.indexOf(value, span.start);
      const keyAt = text.indexOf(key, span.start);
      return { key, keyAt, keyEnd: keyAt + key.length, valueAt, valueEnd: valueAt + value.length };
    })
    .sort((a, b) => a.keyAt - b.keyAt);
  const [first, second] = placed;
  const lastPart = parts.at(-1);
  const headEnd = typeof lastPart === 'string' ? lastPart : '';
  const sorted = first !== undefined && first.key !== given[0];
  return {
    headEnd,
    keyToValue: first === undefined ? '' : text.slice(first.keyEnd, first.valueAt),
    between:
      first === undefined || second === undefined
        ? null
        : withKeyPlaceholders(text.slice(first.valueEnd, second.keyAt), given),
    after: section.itemClose,
    sorted,
  };
}

/** The literal from the head's last hole to the end of a call without arguments. */
function emptyCall(texts: CallsInput, section: CallSection, literals: EntryLiterals): string | null {
  const rendered = texts.prober.turn(texts.probes.noArguments);
  if (rendered === null) return null;
  const text = afterStart(rendered, texts.turnStart);
  const span = texts.calls.spans[0];
  const head = texts.calls.text.slice(span.start, span.arguments.start - literals.headEnd.length);
  const opening = section.itemOpen + head;
  const at = text.indexOf(opening);
  const after = section.close + texts.callsEnd;
  if (at < 0 || !text.endsWith(after)) return null;
  const none = text.slice(at + opening.length, text.length - after.length);
  return likePattern(none, literals.after, span.call, section.number);
}

function logEntries(texts: CallsInput, literals: EntryLiterals, none: string | null): void {
  const { log, calls } = texts;
  log.support(
    'calls.arguments.entry',
    calls.probe.id,
    literals.between ?? literals.headEnd,
    'between two entries',
  );
  log.support('calls.arguments.separator', calls.probe.id, literals.between ?? '', 'between two entries');
  log.support('calls.arguments.empty', texts.probes.noArguments.id, none ?? '', 'a call without arguments');
  log.support(
    'calls.arguments.sorted',
    calls.probe.id,
    literals.between ?? '',
    literals.sorted ? 'entries stand in the order of their names' : 'entries stand in the given order',
  );
}

/** The literals next to the entries. */
interface AroundEntries {
  /** Between the tool's name and the first entry: `{`. */
  readonly headEnd: string;
  /** Before a key. */
  readonly keyOpen: string;
  readonly separator: string;
  /** After the last entry. */
  readonly callClose: string;
}

/**
 * The frames with the quote around strings alone, and all else as the field writes it; `null` if there is no quote.
 * Where the same marker opens and closes values of all types, `<escape>2<escape>`, it is a quote of strings, not part
 * of the key: the template quotes whatever it prints, and does not show how the model writes the other types.
 */
function withQuotedStrings(
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
