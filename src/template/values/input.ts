/** Converts JSON-like JavaScript data to template values. The input is copied, never changed. */
import { JsonNumber, pythonNumber } from '../../format/exact-json.ts';
import { dataText } from './traced-text.ts';
import {
  Dict,
  extendPath,
  Float,
  List,
  LongInteger,
  PythonError,
  type ReadKind,
  type Value,
  type Watch,
} from './values.ts';

/** Maximum depth of the input, which also detects cycles. */
const maxDepth = 400;

/** Called for each read, with the path, and how it was read. */
type NoteRead = (path: string, kind: ReadKind) => void;

/**
 * Text in a template's variables that counts as the template's own in a traced render: the beginning-of-sequence
 * token, a validated role.
 */
export class OwnText {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Options of the conversion. */
export interface ImportOptions {
  /** Called for each read of imported values; `null`: not at all. */
  readonly note: NoteRead | null;
  /** Whether texts become `TracedText`, so that their characters can be distinguished from the template's. */
  readonly traced: boolean;
}

function watchOf(path: string, note: NoteRead | null): Watch | null {
  return note === null ? null : { path, note };
}

function importNumber(value: number): Value {
  return Number.isInteger(value) && !Object.is(value, -0) && Math.abs(value) < 1e21
    ? value
    : new Float(value);
}

function importExact(number: JsonNumber): Value {
  const text = pythonNumber(number);
  if (number.isInteger) return text === '0' ? 0 : new LongInteger(text);
  return new Float(number.value, text);
}

function importObject(value: object, path: string, options: ImportOptions, depth: number): Value {
  if (value instanceof OwnText) return value.text;
  if (value instanceof JsonNumber) return importExact(value);
  if (depth > maxDepth) throw new PythonError('RecursionError', `${path || 'input'} nests too deeply`);
  const { note, traced } = options;
  if (Array.isArray(value)) {
    const items = value.map((item, index) =>
      importValue(item, note && extendPath(path, index), options, depth + 1),
    );
    return new List(items, watchOf(path, note));
  }
  const entries: [Value, Value][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const name = traced ? dataText(key) : key;
    entries.push([name, importValue(item, note && extendPath(path, key), options, depth + 1)]);
  }
  return new Dict(entries, watchOf(path, note));
}

/**
 * Converts JSON-like data to a template value; keys with the value `undefined` are ignored. Throws PythonError for
 * functions, symbols and anything else that JSON does not have.
 */
export function importValue(value: unknown, path: string | null, options: ImportOptions, depth = 0): Value {
  switch (typeof value) {
    case 'string':
      return options.traced ? dataText(value) : value;
    case 'boolean':
      return value;
    case 'number':
      return importNumber(value);
    case 'undefined':
      return null;
    case 'object':
      return value === null ? null : importObject(value, path ?? '', options, depth);
    default:
      throw new PythonError(
        'TypeError',
        `${path || 'input'} is a ${typeof value}; only JSON values can be rendered`,
      );
  }
}
