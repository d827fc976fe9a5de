/** How the next value is read: its frame, the tool's schema and its first character decide. */
import type { JsonType } from '../../../format/chat-format.ts';
import { parseJson } from '../../../format/json-values.ts';
import { JsonScanner } from '../../json/json-scanner.ts';
import { beginsSet, type JsonNotation } from '../../json/json-tokens.ts';
import { typeOf } from '../schema-place.ts';

/**
 * `raw`: a string without escapes. `scan`: JSON or Python, emitted as it arrives. `buffer`: withheld until it is
 * complete, because its type is unknown before. `quoted`: an unescaped string in quotes.
 */
export type ValueMode = 'raw' | 'scan' | 'buffer' | 'quoted';

/** Where strings are allowed, a scalar longer than this is a string. */
export const maxScalar = 64;

/** The types that a value in this frame may have: the frame takes precedence over the schema. */
export function typesInFrame(
  frame: { readonly types: readonly JsonType[] },
  allowed: ReadonlySet<JsonType>,
): ReadonlySet<JsonType> {
  const both = frame.types.filter((type) => allowed.has(type));
  return new Set(both.length > 0 ? both : frame.types);
}

/** The mode of a value whose frame has an end. `first` is its first character other than white space. */
export function modeByText(types: ReadonlySet<JsonType>, first: string): ValueMode {
  const mayBeString = types.has('string');
  if (first === '{' || first === '[') {
    const container = first === '{' ? 'object' : 'array';
    if (mayBeString) return types.has(container) ? 'buffer' : 'raw';
    return types.has(container) ? 'scan' : 'buffer';
  }
  if (!mayBeString) return 'buffer';
  return mayBeScalar(types, first) ? 'buffer' : 'raw';
}

function mayBeScalar(types: ReadonlySet<JsonType>, first: string): boolean {
  if (types.has('number') && /[-+.0-9]/.test(first)) return true;
  if (types.has('boolean') && /[tfTF]/.test(first)) return true;
  return types.has('null') && /[nN]/.test(first);
}

/** A value as JSON, and what of its text is neither JSON nor Python. */
interface DecodedValue {
  readonly json: string;
  readonly deviation: string | null;
}

/**
 * A buffered value: of an allowed type that its text fits, otherwise a string. `notation`: what may be read as another
 * type than a string.
 */
export function decodeBuffered(
  text: string,
  types: ReadonlySet<JsonType>,
  notation: JsonNotation,
): DecodedValue {
  const trimmed = text.trim();
  const isScalar = !/^[{[]/.test(trimmed);
  const asText = { json: JSON.stringify(text), deviation: null };
  if (types.has('string') && isScalar && text.length > maxScalar) return asText;
  if (trimmed === '') return { json: blankValue(text, types), deviation: null };
  const isSet = isListOnly(types) && beginsSet(trimmed, true) === true;
  const value = scanWhole(trimmed, notation, isSet);
  if (value === null) return asText;
  return fitsTypes(value.json, types) || !types.has('string') ? value : asText;
}

/** Whether a value is of one of the types. */
export function fitsTypes(json: string, types: ReadonlySet<JsonType>): boolean {
  return types.has(typeOf(JSON.parse(json)));
}

const words: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
  ['none', 'null'],
]);

/** JSON of a literal of these types that is in another case or in quotes; `null` if it is none. */
export function literalOf(text: string, types: ReadonlySet<JsonType>): string | null {
  const trimmed = text.trim();
  const inner = /^(["'])(.*)\1$/s.exec(trimmed)?.[2]?.trim() ?? trimmed;
  const json = words.get(inner.toLowerCase()) ?? scanWhole(inner)?.json;
  return json !== undefined && fitsTypes(json, types) ? json : null;
}

/** A container without brackets is empty if there is no text; otherwise it is a string. */
function blankValue(text: string, types: ReadonlySet<JsonType>): string {
  if (types.has('string')) return JSON.stringify(text);
  if (types.has('array')) return '[]';
  return types.has('object') ? '{}' : JSON.stringify(text);
}

/** Whether a value may be an array, and no object: braces can only be those of a set. */
export function isListOnly(types: ReadonlySet<JsonType>): boolean {
  return types.has('array') && !types.has('object');
}

/** A text that is one value in `notation`; `null` if it is none. */
export function scanWhole(text: string, notation: JsonNotation = 'any', isSet = false): DecodedValue | null {
  const scanner = new JsonScanner();
  scanner.reset(notation, isSet);
  const end = scanner.scan(text, 0);
  const { output } = scanner;
  if (scanner.status === 'open') scanner.end();
  if (scanner.status !== 'done' || end !== text.length) return null;
  const json = scanner.output === output ? output : output + scanner.output;
  return parseJson(json) === undefined ? null : { json, deviation: scanner.deviationFrom('python') };
}
