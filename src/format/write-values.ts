/**
 * Values as templates write them: JSON in a style, Python literals, and a format's own notation for nested values.
 * They are written as Python does, because templates run there: `1e-07`, `True`, `'it\'s'`.
 */
import type {
  ArgumentsFormat,
  EntryArguments,
  JsonStyle,
  JsonType,
  ValueFrame,
} from './argument-notation.ts';
import { type ExactObject, type ExactValue, JsonNumber, pythonNumber } from './exact-json.ts';

/** The JSON type of a value. */
export function jsonType(value: ExactValue): JsonType {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (value instanceof JsonNumber) return 'number';
  const type = typeof value;
  if (type === 'string' || type === 'number' || type === 'boolean') return type;
  return 'object';
}

function isNumber(value: ExactValue): value is number | JsonNumber {
  return typeof value === 'number' || value instanceof JsonNumber;
}

/** A number as Python prints it: without an exponent from 1e-4 on, and with at least two digits in exponents. */
export function writeNumber(value: number | JsonNumber): string {
  if (value instanceof JsonNumber) return pythonNumber(value);
  if (!Number.isFinite(value)) return 'null';
  // Beyond 2^53, too, all digits are those of the value.
  if (Number.isInteger(value) && Math.abs(value) < 1e21) return BigInt(value).toString();
  const magnitude = Math.abs(value);
  const text = magnitude < 1e-4 ? value.toExponential() : String(value);
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** A string as JSON; with `ascii`, everything beyond ASCII is written as `\uXXXX`. */
export function writeJsonString(text: string, ascii: boolean): string {
  const json = JSON.stringify(text);
  if (!ascii) return json;
  return json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A value as JSON in a style, or as Python's `repr` writes it. */
export function writeJson(value: ExactValue, style: JsonStyle): string {
  return style.python ? writePython(value) : writeJsonAt(value, style, style.margin ?? 0);
}

function writeJsonAt(value: ExactValue, style: JsonStyle, margin: number): string {
  if (typeof value === 'string') return writeJsonString(value, style.ascii);
  if (isNumber(value)) return writeNumber(value);
  if (value === null || typeof value === 'boolean') return String(value);
  const inner = margin + (style.indent ?? 0);
  if (Array.isArray(value)) {
    const items = value.map((item) => writeJsonAt(item, style, inner));
    return encloseItems(items, '[', ']', style, margin);
  }
  const items = orderedEntries(value, style.sortKeys ? 'exact' : 'none').map(
    ([key, item]) => writeJsonString(key, style.ascii) + style.keySeparator + writeJsonAt(item, style, inner),
  );
  return encloseItems(items, '{', '}', style, margin);
}

function encloseItems(
  items: readonly string[],
  open: string,
  close: string,
  style: JsonStyle,
  margin: number,
): string {
  if (items.length === 0) return open + close;
  if (style.indent === null) return open + items.join(style.itemSeparator) + close;
  const line = `\n${' '.repeat(margin + style.indent)}`;
  return `${open}${line}${items.join(style.itemSeparator + line)}\n${' '.repeat(margin)}${close}`;
}

/**
 * The entries of an object in the template's order: unchanged, by code points (Python's `json.dumps(sort_keys=True)`),
 * or ignoring case (Jinja's `dictsort`).
 */
function orderedEntries(
  value: ExactValue,
  order: 'none' | 'exact' | 'ignoring-case',
): readonly (readonly [string, ExactValue])[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [];
  const entries = Object.entries(value as ExactObject);
  if (order === 'none') return entries;
  const sortKey = (key: string) => (order === 'exact' ? key : key.toLowerCase());
  return entries.sort(([a], [b]) => compareCodePoints(sortKey(a), sortKey(b)));
}

/** Python's order of strings: by code points, not UTF-16 units. */
function compareCodePoints(a: string, b: string): number {
  const left = Array.from(a);
  const right = Array.from(b);
  for (const [index, character] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    if (character !== other) return (character.codePointAt(0) ?? 0) - (other.codePointAt(0) ?? 0);
  }
  return left.length - right.length;
}

const pythonEscapes: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** A string as Python's `repr` writes it: in single quotes, unless double quotes avoid escapes. */
export function writePythonString(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const body = Array.from(text, (character) => {
    if (character === '\\' || character === quote) return `\\${character}`;
    return pythonEscapes.get(character) ?? escapeUnprintable(character);
  });
  return quote + body.join('') + quote;
}

function escapeUnprintable(character: string): string {
  if (character === ' ' || !/[\p{C}\p{Z}]/u.test(character)) return character;
  const code = (character.codePointAt(0) ?? 0).toString(16);
  if (code.length <= 2) return `\\x${code.padStart(2, '0')}`;
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\U${code.padStart(8, '0')}`;
}

/** A value as Python's `repr` writes it. */
export function writePython(value: ExactValue): string {
  if (typeof value === 'string') return writePythonString(value);
  if (isNumber(value)) return writeNumber(value);
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null) return 'None';
  if (Array.isArray(value)) return `[${value.map(writePython).join(', ')}]`;
  const entries = orderedEntries(value, 'none');
  return `{${entries.map(([key, item]) => `${writePythonString(key)}: ${writePython(item)}`).join(', ')}}`;
}

/** How values are written: frames by type, the style of JSON, the notation of nested values. */
type ValueNotation = Pick<
  EntryArguments,
  'frames' | 'integer' | 'alternativeString' | 'nested' | 'style' | 'sorted'
>;

/** A value inside its frame. */
function writeFramed(value: ExactValue, notation: ValueNotation): string {
  const frame = frameOf(value, notation);
  return frame.open + writeByCodec(value, frame, notation) + frame.close;
}

function frameOf(value: ExactValue, notation: ValueNotation): ValueFrame {
  const frame = notation.frames[jsonType(value)];
  const alternative = notation.alternativeString;
  const isInteger = value instanceof JsonNumber ? value.isInteger : Number.isInteger(value);
  if (isInteger) return notation.integer ?? frame;
  if (typeof value !== 'string' || alternative === null) return frame;
  return needsAlternative(value, alternative) ? alternative : frame;
}

/** Whether a string contains a text for which the template uses its alternative frame. */
function needsAlternative(text: string, alternative: ValueFrame): boolean {
  return (alternative.when ?? []).some((trigger) => text.includes(trigger));
}

function writeByCodec(value: ExactValue, frame: ValueFrame, notation: ValueNotation): string {
  switch (frame.codec) {
    case 'raw':
      return typeof value === 'string' ? value : writeJson(value, notation.style);
    case 'json':
      return writeJson(value, notation.style);
    case 'python':
      return writePython(value);
    case 'escaped':
      return typeof value === 'string' ? writeEscaped(value, frame) : writeJson(value, notation.style);
    case 'nested':
      return writeNested(value, notation);
    case 'absent':
      return '';
  }
}

/** A string with the escapes of its frame. */
function writeEscaped(text: string, { escapes = [] }: ValueFrame): string {
  const written = new Map(escapes);
  return Array.from(text, (character) => written.get(character) ?? character).join('');
}

function writeNested(value: ExactValue, notation: ValueNotation): string {
  const nested = notation.nested;
  if (nested === null) return writeJson(value, notation.style);
  if (Array.isArray(value)) {
    const { open, close, separator, itemOpen, itemClose } = nested.array;
    const items = value.map((item) => itemOpen + writeFramed(item, notation) + itemClose);
    return open + items.join(separator) + close;
  }
  const { open, close, separator, keyOpen, keyClose, entryClose } = nested.object;
  const items = orderedEntries(value, notation.sorted ? 'ignoring-case' : 'none')
    .filter(([, item]) => notation.frames[jsonType(item)].codec !== 'absent')
    .map(([key, item]) => {
      const closer = entryClose.map((part) => (typeof part === 'string' ? part : key)).join('');
      return keyOpen + key + keyClose + writeFramed(item, notation) + closer;
    });
  return open + items.join(separator) + close;
}

/** The arguments of one call. */
export function writeArguments(format: ArgumentsFormat, values: ExactObject): string {
  if (format.kind === 'entries') return writeEntries(format, values);
  if (format.empty !== null && Object.keys(values).length === 0) return format.empty;
  const json = writeJson(values, format.style);
  return format.encoding === 'string' ? writeJsonString(json, format.style.ascii) : json;
}

function writeEntries(format: EntryArguments, values: ExactObject): string {
  const entries = orderedEntries(values, format.sorted ? 'ignoring-case' : 'none')
    .filter(([, value]) => format.frames[jsonType(value)].codec !== 'absent')
    .map(([key, value]) => {
      const close = format.entry.close.map((part) => (typeof part === 'string' ? part : key)).join('');
      return format.entry.open + key + format.entry.key + writeFramed(value, format) + close;
    });
  if (entries.length === 0) return format.empty;
  return format.open + entries.join(format.separator) + format.close;
}
