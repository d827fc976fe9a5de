/** How each JSON type is written inside an entry: its frame, and its codec. */
import type { JsonStyle, JsonType, NestedFormat, ValueFrame } from '../../format/chat-format.ts';
import type { JsonValue } from '../../format/messages.ts';
import { withoutUndefined } from '../../format/option-rules.ts';
import { writePython } from '../../format/write-values.ts';
import { matchStyle, positionsOf, spacedStyle } from '../literals/find-json.ts';
import { commonPrefixLength, commonSuffixLength, tokenEdges } from '../literals/tokens.ts';
import { type ArgumentsInput, argumentRegion } from './argument-region.ts';
import { inferNested } from './nested.ts';
import { type InferredStrings, inferStrings } from './strings.ts';

/** The frames of all types. */
export interface InferredFrames {
  readonly entryKey: string;
  /** Contains placeholders for the key. */
  readonly entryClose: string;
  readonly frames: Readonly<Record<JsonType, ValueFrame>>;
  /** The frame of whole numbers, if it differs. */
  readonly integer: ValueFrame | null;
  readonly alternativeString: ValueFrame | null;
  readonly nested: NestedFormat | null;
  readonly style: JsonStyle;
  /** No render shows how values other than strings are written. */
  readonly areTypesUnshown: boolean;
}

/** Types that templates distinguish. */
type FramedType = JsonType | 'integer';

/** A value found in its region, that is, between its key and the end of its entry. */
interface FoundValue {
  readonly open: string;
  readonly close: string;
  readonly codec: ValueFrame['codec'];
  readonly escapes?: ValueFrame['escapes'];
  readonly pasted?: ValueFrame['pasted'];
  readonly style: JsonStyle | null;
}

/** Infers the frames. Around a string are `keyToValue` and `itemClose`. */
export function inferFrames(texts: ArgumentsInput, keyToValue: string, itemClose: string): InferredFrames {
  const strings = inferStrings(texts, keyToValue, itemClose);
  const values = findValues(texts, { ...strings.frame, style: null });
  return assemble(texts, withLiterals(texts, values), strings);
}

/** The values of all types that were found in their renders. */
interface FoundValues {
  readonly found: ReadonlyMap<FramedType, FoundValue>;
  /** Types that are rendered, but neither as JSON nor as Python. */
  readonly unread: readonly JsonType[];
  readonly style: JsonStyle;
}

function findValues(texts: ArgumentsInput, string: FoundValue): FoundValues {
  const found = new Map<FramedType, FoundValue>([['string', string]]);
  const unread: JsonType[] = [];
  let style: JsonStyle | null = null;
  for (const [type, samples] of typedSamples(texts)) {
    const rendered = samples.flatMap((value) => {
      const region = renderTyped(texts, type, value);
      return region === null ? [] : [findValue(type, value, region)];
    });
    const [first, second] = rendered.filter((each) => each !== null);
    const value = type === 'number' ? (second ?? first) : first;
    if (value !== undefined) {
      found.set(type, value);
      if (first !== undefined && isOtherFrame(first, value)) found.set('integer', first);
      style ??= value.style;
    } else if (rendered.length > 0) unread.push(type);
  }
  return { found, unread, style: style ?? spacedStyle };
}

/**
 * Strings that are pasted into quotes, which no other type has: the render shows no escapes, so the model is taken to
 * write what the quotes announce, a literal of Python or JSON.
 */
function withLiterals(texts: ArgumentsInput, values: FoundValues): FoundValues {
  const string = values.found.get('string');
  const quote = pastedQuote(string);
  if (string === undefined || quote === null) return values;
  const others = [...values.found].filter(([type, { codec }]) => type !== 'string' && codec !== 'absent');
  if (others.length === 0 || others.some(([, { open }]) => open.endsWith(quote))) return values;
  const codec = quote === "'" || texts.isPythonic ? 'python' : 'json';
  const reason = `strings are pasted into quotes, which shows no escapes: ${codec} literals are assumed`;
  texts.log.support('calls.arguments.frames.string', 'value-awkward', string.open, reason, 'convention');
  const { open, close } = string;
  const literal: FoundValue = {
    ...string,
    open: open.slice(0, -1),
    close: close.slice(1),
    codec,
    pasted: quote,
  };
  return { ...values, found: new Map(values.found).set('string', literal) };
}

/** The quote around a string that is written unchanged. */
function pastedQuote(string: FoundValue | undefined): '"' | "'" | null {
  const quote = string?.codec === 'raw' ? string.open.at(-1) : undefined;
  if (quote !== '"' && quote !== "'") return null;
  return string?.close.startsWith(quote) === true ? quote : null;
}

function isOtherFrame(one: FoundValue, other: FoundValue): boolean {
  return one.open !== other.open || one.close !== other.close;
}

/**
 * Samples of each type; the first one that is found shows how the type is written. The first number is whole and the
 * second is not, because they may be written differently.
 */
function typedSamples(texts: ArgumentsInput): readonly (readonly [JsonType, readonly JsonValue[]])[] {
  const { inner } = texts.prober.sentinels;
  return [
    ['number', [48151, 162.25]],
    ['boolean', [true, false]],
    ['null', [null]],
    [
      'object',
      [
        { [inner[0]]: [`${inner[1]}é`, 1, null], [inner[1]]: true },
        { [inner[0]]: inner[1], [inner[2]]: inner[3] },
      ],
    ],
    [
      'array',
      [
        [`${inner[0]}é`, 1, true, { [inner[1]]: null }],
        [inner[0], inner[1]],
      ],
    ],
  ];
}

/** The text from the key to the end of the entry; empty if values of the type are dropped, `null` if refused. */
function renderTyped(texts: ArgumentsInput, type: JsonType, value: JsonValue): string | null {
  const key = texts.prober.sentinels.typed[Number.isInteger(value) ? 'integer' : type];
  const region = argumentRegion(texts, key, value, type);
  if (region !== null && region !== '') {
    const field = `calls.arguments.frames.${type}`;
    texts.log.support(field, `value-${type}`, region, 'from the key to the end of the entry');
  }
  return region;
}

function findValue(type: JsonType, value: JsonValue, region: string): FoundValue | null {
  if (region === '') return { open: '', close: '', codec: 'absent', style: null };
  if (type === 'array' || type === 'object') return findContainer(value, region);
  const json = JSON.stringify(value);
  const [jsonAt, pythonAt] = [region.lastIndexOf(json), region.lastIndexOf(writePython(value))];
  const at = Math.max(jsonAt, pythonAt);
  if (at < 0) return null;
  // Numbers, truth values and null are as long in Python as in JSON.
  const [open, close] = [region.slice(0, at), region.slice(at + json.length)];
  return { open, close, codec: jsonAt >= pythonAt ? 'json' : 'python', style: null };
}

function findContainer(value: JsonValue, region: string): FoundValue | null {
  const bracket = Array.isArray(value) ? '[' : '{';
  for (const at of positionsOf(region, bracket, 0, region.length)) {
    const json = matchStyle(region, at, value);
    if (json !== null) {
      return { open: region.slice(0, at), close: region.slice(json.end), codec: 'json', style: json.style };
    }
    const python = writePython(value);
    if (region.startsWith(python, at)) {
      const close = region.slice(at + python.length);
      return { open: region.slice(0, at), close, codec: 'python', style: null };
    }
  }
  return null;
}

/** Splits the literals into those that all types share and the rest, which is each type's own. */
function splitFrames(found: ReadonlyMap<FramedType, FoundValue>): {
  readonly entryKey: string;
  readonly entryClose: string;
  readonly known: ReadonlyMap<FramedType, ValueFrame>;
} {
  const written = [...found.values()].filter((each) => each.codec !== 'absent');
  const entryKey = sharedStart(written.map((each) => each.open));
  const entryClose = sharedEnd(written.map((each) => each.close));
  const frame = ({ open, close, codec, escapes, pasted }: FoundValue): ValueFrame => ({
    open: open.slice(entryKey.length),
    close: close.slice(0, close.length - entryClose.length),
    codec,
    ...withoutUndefined({ escapes, pasted }),
  });
  const absent: ValueFrame = { open: '', close: '', codec: 'absent' };
  const known = [...found].map(
    ([type, value]) => [type, value.codec === 'absent' ? absent : frame(value)] as const,
  );
  return { entryKey, entryClose, known: new Map(known) };
}

function assemble(texts: ArgumentsInput, values: FoundValues, strings: InferredStrings): InferredFrames {
  const { entryKey, entryClose, known } = splitFrames(values.found);
  const string = known.get('string') ?? { open: '', close: '', codec: 'raw' };
  const plain: ValueFrame = { ...(known.get('number') ?? string), codec: 'json' };
  const around = [entryKey + plain.open, plain.close + entryClose] as const;
  const hasOwnContainers = values.unread.includes('object') || values.unread.includes('array');
  const nested = hasOwnContainers ? inferNested(texts, string, around) : null;
  const frame = (type: JsonType) => known.get(type) ?? unseenFrame(texts, type, plain, nested);
  const frames = {
    string,
    number: frame('number'),
    boolean: frame('boolean'),
    null: frame('null'),
    array: frame('array'),
    object: frame('object'),
  };
  const integer = known.get('integer') ?? null;
  const { style } = values;
  const alternativeString = strings.alternative;
  return { entryKey, entryClose, frames, integer, alternativeString, nested, style, areTypesUnshown: false };
}

/** The frame of a type whose value was not found in its render: the format's own notation, or a guess. */
function unseenFrame(
  texts: ArgumentsInput,
  type: JsonType,
  plain: ValueFrame,
  nested: NestedFormat | null,
): ValueFrame {
  if (nested !== null && (type === 'array' || type === 'object')) return { ...plain, codec: 'nested' };
  const message = `no render shows how a ${type} is written; it is written like a number`;
  texts.log.warn({ field: `calls.arguments.frames.${type}`, kind: 'assumed', message });
  return plain;
}

function sharedStart(texts: readonly string[]): string {
  const [first = ''] = texts;
  const longest = commonPrefixLength(texts);
  if (texts.every((text) => text.length === longest)) return first;
  const edges = [...tokenEdges(first)].filter((edge) => edge <= longest);
  return first.slice(0, Math.max(0, ...edges));
}

function sharedEnd(texts: readonly string[]): string {
  const [first = ''] = texts;
  const longest = commonSuffixLength(texts);
  const edges = [...tokenEdges(first)]
    .map((edge) => first.length - edge)
    .filter((length) => length <= longest);
  return first.slice(first.length - Math.max(0, ...edges));
}
