/** Entering the place of a value: an entry of the arguments, or a property or item of a nested value. */

import type { CallDraft } from '../call-draft.ts';
import { repair } from '../leniency/law-table.ts';
import { isProperty, mayHoldArguments, withholdWrapped } from '../leniency/lenient-arguments.ts';
import type { Reader, State } from '../reader.ts';
import type { ValuePlace } from '../state-tables.ts';
import { anywhere, itemPlace, propertyPlace } from './schema-place.ts';
import type { ValueStack } from './values/value-stack.ts';

/** Opens the place of `key`, whose value begins after `end`, and emits the key as JSON. */
export function openPlace(reader: Reader, place: ValuePlace<State>, key: string, end: number): void {
  const { cursor, call } = reader;
  const name = place.kind === 'entry' ? entryName(reader, key) : propertyName(reader, key);
  if (place.kind === 'entry' && call.entryCount === 0 && mayHoldArguments(reader, name)) {
    withholdWrapped(reader, name);
  }
  if (place.kind === 'entry') reader.call.entryNames.add(name);
  const outer = place.kind === 'entry' ? null : call.values;
  const start = cursor.offset;
  cursor.moveTo(end);
  const json = `${separatorBefore(call, outer)}${JSON.stringify(name)}: `;
  reader.writer.calls.input(json, start, cursor.offset);
  const schema = propertyPlace(outer?.schema ?? call.parameters, name);
  push(reader, { place, key, schema, outer, nested: null, closer: null, lacksOpener: false });
}

/** Opens the next item of a nested array. */
export function openItem(reader: Reader, place: ValuePlace<State>): void {
  const { cursor, call, writer } = reader;
  const outer = call.values;
  writer.calls.input(separatorBefore(call, outer), cursor.offset, cursor.offset);
  const schema = outer === null ? anywhere : itemPlace(outer.schema);
  push(reader, { place, key: '', schema, outer, nested: null, closer: null, lacksOpener: false });
}

function push(reader: Reader, values: ValueStack<State>): void {
  reader.call.values = values;
  reader.scanner.reset(reader.allows('json') ? 'any' : 'python');
}

function separatorBefore(call: CallDraft<State>, outer: ValueStack<State> | null): string {
  if (outer === null) return call.entryCount++ === 0 ? '{' : ', ';
  const { nested } = outer;
  return nested === null || nested.count++ === 0 ? '' : ', ';
}

/** The key of an entry. Quotes around it belong to it only if the schema has such a property. */
function entryName(reader: Reader, key: string): string {
  return isProperty(reader.call.parameters, key) ? key : unquoted(reader, key, unquote(key));
}

/** The key of a property. A doubled marker is the format's notation for strings. */
function propertyName(reader: Reader, key: string): string {
  const [, , name = key] = /^(<[^<>\s]+>)(.*)\1$/s.exec(key) ?? [];
  return name === key ? unquote(key) : unquoted(reader, key, name);
}

/** The key without its quotes, if leniency applies. */
function unquoted(reader: Reader, key: string, name: string): string {
  if (name === key || !reader.allows('literal')) return key;
  reader.noteRepair(repair('literal', 'key', name));
  return name;
}

/** The key inside its quotes or markers. */
export function unquote(key: string): string {
  const quoted = /^(["']|<[^<>\s]+>)(.*)\1$/s.exec(key);
  return quoted?.[2] ?? key;
}
