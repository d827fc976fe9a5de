/** How each JSON type is written inside an entry: literals around it, and its codec. */
import type { JsonStyle, JsonType, NestedFormat, ValueFrame } from '../chat-format.ts';
import { writePython } from '../grammar/write-values.ts';
import type { JsonValue } from '../messages.ts';
import type { CallTexts } from './infer-calls.ts';
import { keyMark } from './infer-entries.ts';
import { inferNested } from './infer-nested.ts';
import { inferStrings, type StringsReading } from './infer-strings.ts';
import { valueProbe } from './probes.ts';
import { matchStyle, positionsOf, spacedStyle } from './read-json.ts';
import { commonPrefixLength, commonSuffixLength, tokenEdges } from './text-cuts.ts';

/** The frames of all types. */
export interface FramesReading {
  readonly entryKey: string;
  /** Key marks stand for the key. */
  readonly entryClose: string;
  readonly frames: Readonly<Record<JsonType, ValueFrame>>;
  /** Of whole numbers, where it is another. */
  readonly integer: ValueFrame | null;
  readonly alternativeString: ValueFrame | null;
  readonly nested: NestedFormat | null;
  readonly style: JsonStyle;
}

/** One type as rendered: from behind the key to the end of the entry. */
interface TypedRender {
  readonly type: JsonType;
  readonly value: JsonValue;
  readonly region: string;
}

/** Types as templates tell them apart. */
type FramedType = JsonType | 'integer';

/** A value found in its region. */
interface FoundValue {
  readonly open: string;
  readonly close: string;
  readonly codec: ValueFrame['codec'];
  readonly escapes?: ValueFrame['escapes'];
  readonly style: JsonStyle | null;
}

/** Reads the frames. `behind` is what follows the last entry, up to the end of the turn. */
export function inferFrames(
  texts: CallTexts,
  keyToValue: string,
  itemClose: string,
  behind: string,
): FramesReading {
  const strings = inferStrings(texts, keyToValue, itemClose, behind);
  const string: FoundValue = { ...strings.frame, style: null };
  const samples = typedSamples(texts);
  const found = new Map<FramedType, FoundValue>([['string', string]]);
  const unread: TypedRender[] = [];
  let style: JsonStyle | null = null;
  for (const [type, given] of samples) {
    const renders = given
      .map((value) => renderTyped(texts, type, value, behind))
      .filter((each) => each !== null);
    const values = renders.map((render) => findValue(render)).filter((each) => each !== null);
    const [first, second] = values;
    const value = type === 'number' ? (second ?? first) : first;
    if (value !== undefined) {
      found.set(type, value);
      if (first !== undefined && isOtherFrame(first, value)) found.set('integer', first);
      style ??= value.style;
    } else if (renders[0] !== undefined) unread.push(renders[0]);
  }
  return assemble(texts, found, unread, style ?? spacedStyle, behind, strings);
}

function isOtherFrame(one: FoundValue, other: FoundValue): boolean {
  return one.open !== other.open || one.close !== other.close;
}

/** One of them shows how values of a type are written; of numbers, first a whole one and then another. */
function typedSamples(texts: CallTexts): readonly (readonly [JsonType, readonly JsonValue[]])[] {
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

const keyOfType = {
  string: 'string',
  number: 'integer',
  boolean: 'boolean',
  null: 'null',
  array: 'array',
  object: 'object',
} as const;

/** Renders a call with one argument; the region ends before what follows the last entry. */
function renderTyped(texts: CallTexts, type: JsonType, value: JsonValue, behind: string): TypedRender | null {
  const { prober } = texts;
  const key =
    prober.sentinels.typed[
      typeof value === 'number' && !Number.isInteger(value) ? 'number' : keyOfType[type]
    ];
  const probe = valueProbe(prober.sentinels, key, value, type);
  const turn = prober.turn(probe);
  if (turn === null || !turn.endsWith(behind)) return null;
  const name = turn.indexOf(prober.sentinels.names[0]);
  const at = turn.indexOf(key, Math.max(0, name));
  if (at < 0) return { type, value, region: '' };
  const region = turn.slice(at + key.length, turn.length - behind.length).replaceAll(key, keyMark);
  texts.log.support(
    `calls.arguments.frames.${type}`,
    probe.id,
    region,
    'from the key to the end of the entry',
  );
  return { type, value, region };
}

function findValue({ type, value, region }: TypedRender): FoundValue | null {
  if (region === '') return { open: '', close: '', codec: 'absent', style: null };
  if (type === 'array' || type === 'object') return findContainer(value, region);
  const json = region.lastIndexOf(JSON.stringify(value));
  const python = region.lastIndexOf(writePython(value));
  if (json < 0 && python < 0) return null;
  const at = Math.max(json, python);
  const text = json >= python ? JSON.stringify(value) : writePython(value);
  return {
    open: region.slice(0, at),
    close: region.slice(at + text.length),
    codec: json >= python ? 'json' : 'python',
    style: null,
  };
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

/** The literals that all types share, and what is left of each type's own. */
function splitFrames(found: ReadonlyMap<FramedType, FoundValue>): {
  readonly entryKey: string;
  readonly entryClose: string;
  readonly known: ReadonlyMap<FramedType, ValueFrame>;
} {
  const written = [...found.values()].filter((each) => each.codec !== 'absent');
  const entryKey = sharedStart(written.map((each) => each.open));
  const entryClose = sharedEnd(written.map((each) => each.close));
  const frame = ({ open, close, codec, escapes }: FoundValue): ValueFrame => ({
    open: open.slice(entryKey.length),
    close: close.slice(0, close.length - entryClose.length),
    codec,
    ...(escapes === undefined ? {} : { escapes }),
  });
  const absent: ValueFrame = { open: '', close: '', codec: 'absent' };
  const known = [...found].map(
    ([type, value]) => [type, value.codec === 'absent' ? absent : frame(value)] as const,
  );
  return { entryKey, entryClose, known: new Map(known) };
}

function assemble(
  texts: CallTexts,
  found: ReadonlyMap<FramedType, FoundValue>,
  unread: readonly TypedRender[],
  style: JsonStyle,
  behind: string,
  strings: StringsReading,
): FramesReading {
  const { entryKey, entryClose, known } = splitFrames(found);
  const string = known.get('string') ?? { open: '', close: '', codec: 'raw' };
  const plain: ValueFrame = { ...(known.get('number') ?? string), codec: 'json' };
  const containers = unread.some((each) => each.type === 'object' || each.type === 'array');
  const nested = containers ? inferNested(texts, string, plain, entryKey, entryClose, behind) : null;
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
  return { entryKey, entryClose, frames, integer, alternativeString: strings.alternative, nested, style };
}

/** The frame of a type whose value was not found in its render: the format's own notation, or a guess. */
function unseenFrame(
  texts: CallTexts,
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
