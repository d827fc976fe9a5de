/** From JSON-like JavaScript data to template values. The input is copied, never changed. */
import {
  Dict,
  extendPath,
  Float,
  List,
  PythonError,
  type ReadKind,
  type Value,
  type Watch,
} from './values.ts';

/** Input may not nest deeper than this; also what stops cycles. */
const deepest = 400;

/** Told of each read: the path of what was read, and how. */
export type NoteRead = (path: string, kind: ReadKind) => void;

function watchOf(path: string, note: NoteRead | null): Watch | null {
  return note === null ? null : { path, note };
}

function importNumber(value: number): Value {
  return Number.isInteger(value) && !Object.is(value, -0) && Math.abs(value) < 1e21
    ? value
    : new Float(value);
}

function importObject(value: object, path: string, note: NoteRead | null, depth: number): Value {
  if (depth > deepest) throw new PythonError('RecursionError', `${path || 'input'} nests too deeply`);
  if (Array.isArray(value)) {
    const items = value.map((item, index) =>
      importValue(item, note && extendPath(path, index), note, depth + 1),
    );
    return new List(items, watchOf(path, note));
  }
  const entries: [string, Value][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (item === undefined) continue;
    entries.push([key, importValue(item, note && extendPath(path, key), note, depth + 1)]);
  }
  return new Dict(entries, watchOf(path, note));
}

/**
 * Makes a template value of JSON-like data; keys whose value is `undefined` do not exist. Throws
 * PythonError for functions, symbols and other things that no JSON holds.
 */
export function importValue(value: unknown, path: string | null, note: NoteRead | null, depth = 0): Value {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return value;
    case 'number':
      return importNumber(value);
    case 'undefined':
      return null;
    case 'object':
      return value === null ? null : importObject(value, path ?? '', note, depth);
    default:
      throw new PythonError(
        'TypeError',
        `${path || 'input'} is a ${typeof value}; only JSON values can be rendered`,
      );
  }
}
