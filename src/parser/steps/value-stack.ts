/** Where the value that is being read belongs: an entry of the arguments, and what it is nested in. */
import type { KeyedText, State, ValuePlace } from '../module-contract.ts';
import type { Reader } from '../reader.ts';
import { itemPlace, propertyPlace, type SchemaPlace } from './schema-place.ts';
import type { Closer } from './value-closer.ts';

/** Deepest nesting of values in a format's own notation. */
export const deepestNesting = 64;

/** A place on the stack; the value at the top is the one that is being read. */
export interface ValueStack {
  readonly place: ValuePlace<State>;
  readonly key: string;
  readonly schema: SchemaPlace;
  readonly outer: ValueStack | null;
  /** The nested value that is being read here: how it ends, what its frame ends with, how much it holds. */
  nested: { readonly closer: '}' | ']'; readonly frameClose: string; count: number } | null;
  /** What ends the value in a frame that ends with `frameClose`, once it has been asked for. */
  closer: { readonly frameClose: string; readonly closer: Closer } | null;
}

/** The value of `key` begins after `end`: says the key as JSON. */
export function openPlace(reader: Reader, place: ValuePlace<State>, key: string, end: number): void {
  const name = place.kind === 'entry' ? key : unquote(key);
  const outer = place.kind === 'entry' ? null : reader.values;
  const start = reader.offset(reader.at);
  reader.at = end;
  reader.writer.input(
    `${separatorBefore(reader, outer)}${JSON.stringify(name)}: `,
    start,
    reader.offset(end),
  );
  const schema = propertyPlace(outer?.schema ?? reader.parameters, name);
  push(reader, { place, key, schema, outer, nested: null, closer: null });
}

/** The next item of a nested array begins. */
export function openItem(reader: Reader, place: ValuePlace<State>): void {
  const outer = reader.values;
  const here = reader.offset(reader.at);
  reader.writer.input(separatorBefore(reader, outer), here, here);
  const schema = outer === null ? { schema: undefined, root: undefined } : itemPlace(outer.schema);
  push(reader, { place, key: '', schema, outer, nested: null, closer: null });
}

function push(reader: Reader, values: ValueStack): void {
  reader.values = values;
  reader.scanner.reset();
}

function separatorBefore(reader: Reader, outer: ValueStack | null): string {
  if (outer === null) return reader.draft.entries++ === 0 ? '{' : ', ';
  const { nested } = outer;
  return nested === null || nested.count++ === 0 ? '' : ', ';
}

/** How many values enclose the one at the top. */
export function nestingDepth(values: ValueStack | null): number {
  let depth = 0;
  for (let each = values; each !== null; each = each.outer) depth++;
  return depth;
}

/** Text with the key put in. */
export function fillKey(text: KeyedText, key: string): string {
  return text.map((part) => (typeof part === 'string' ? part : key)).join('');
}

function unquote(key: string): string {
  const quoted = /^(["'])(.*)\1$/s.exec(key);
  return quoted?.[2] ?? key;
}
