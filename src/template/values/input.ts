/** Converts JSON-like JavaScript data to template values. The input is copied, never changed. */
import { JsonNumber, pythonNumber } from '../../format/exact-json.ts';
import type { Steps } from '../../language/expression/steps.ts';
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

/** Values that are converted in one step. */
const stepValues = 2_000;

/** `importValue` in steps. */
export function importSteps(value: unknown, options: ImportOptions): Steps<Value> {
  const done = { values: 0 };
  function* importLarge(large: object, path: string | null, depth: number): Steps<Value> {
    const { note, traced } = options;
    const isList = Array.isArray(large);
    const items: Value[] = [];
    const entries: [Value, Value][] = [];
    for (const [key, item] of isList ? large.entries() : Object.entries(large)) {
      if (item === undefined && !isList) continue;
      const imported = yield* importAny(item, note && extendPath(path ?? '', key), depth + 1);
      if (isList) items.push(imported);
      else entries.push([traced ? dataText(String(key)) : String(key), imported]);
    }
    const watch = watchOf(path ?? '', note);
    return isList ? new List(items, watch) : new Dict(entries, watch);
  }
  function* importAny(any: unknown, path: string | null, depth: number): Steps<Value> {
    const size = stepValues - roomAfter(any, stepValues);
    // What is too deep throws in the end.
    if (size >= stepValues && depth <= maxDepth) return yield* importLarge(any as object, path, depth);
    done.values += size;
    if (done.values >= stepValues) {
      done.values = 0;
      yield;
    }
    return importValue(any, path, options, depth);
  }
  return importAny(value, '', 0);
}

/** What is left of `room` values without those in `value`; 0 if there are as many, or more. */
function roomAfter(value: unknown, room: number): number {
  if (typeof value !== 'object' || value === null) return room - 1;
  let left = room - 1;
  for (const item of Array.isArray(value) ? value : Object.values(value)) {
    if (left <= 0) return 0;
    left = roomAfter(item, left);
  }
  return Math.max(0, left);
}
