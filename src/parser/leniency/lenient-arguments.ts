/**
 * Arguments in places where the format does not have them: wrapped in one more object, under another key, or next to
 * the name. The tool's schema decides what is meant; see `docs/leniency.md`.
 */

import { isObject, parseJson, parseObject } from '../../format/json-values.ts';
import type { JsonObject } from '../../format/messages.ts';
import { undecided } from '../markers/markers.ts';
import { maxGap, skipSpace } from '../markers/white-space.ts';
import type { Reader } from '../reader.ts';
import { propertyPlace, type SchemaPlace } from '../steps/schema-place.ts';
import { argumentKeys, plainMembers } from './call-keys.ts';
import { type Repair, repair } from './law-table.ts';

const isArgumentKey: ReadonlySet<string> = new Set(argumentKeys);
/** Whether a schema names this property. */
export function isProperty(place: SchemaPlace, key: string): boolean {
  return propertyPlace(place, key).schema !== undefined;
}

/** Whether a member of a call may be an argument: the schema has it, or calls have no member of that name. */
export function mayBeArgument(place: SchemaPlace, key: string): boolean {
  return isProperty(place, key) || !plainMembers.has(key);
}

/** Whether the arguments may be under this key, which is not an argument itself. */
export function mayHoldArguments(reader: Reader, key: string): boolean {
  return isArgumentKey.has(key) && !isProperty(reader.call.parameters, key) && reader.allows('arguments-key');
}

/**
 * A key that may wrap the arguments, before an object, at the beginning of the object at `at`; `null` if there is none.
 */
export function wrapperAt(reader: Reader, at: number): string | null | typeof undecided {
  if (!reader.allows('wrapped-arguments')) return null;
  const { text } = reader.cursor;
  const quote = skipSpace(text, at + 1);
  const isOpen = reader.ended ? null : undecided;
  if (quote - at > maxGap) return null;
  if (quote === text.length) return isOpen;
  if (text[quote] !== '"' && text[quote] !== "'") return null;
  const keys = mayHoldCall(reader) ? [...argumentKeys, 'name'] : argumentKeys;
  const key = keys.find((each) => text.startsWith(each + text[quote], quote + 1));
  if (key === undefined) {
    const begun = text.slice(quote + 1);
    return keys.some((each) => each.length >= begun.length && each.startsWith(begun)) ? isOpen : null;
  }
  const colon = skipSpace(text, quote + key.length + 2);
  if (colon === text.length && colon - quote <= maxGap) return isOpen;
  if (text[colon] !== ':') return null;
  const value = skipSpace(text, colon + 1);
  if (value === text.length && value - colon <= maxGap) return isOpen;
  if (key === 'name') return text[value] === '"' ? key : null;
  return text[value] === '{' && mayHoldArguments(reader, key) ? key : null;
}

/** Withholds the arguments that begin under `key` until they are complete, and then unwraps them. */
export function withholdWrapped(reader: Reader, key: string): void {
  const { writer, call } = reader;
  writer.calls.withholdInput((json) => {
    const inner = key === 'name' ? ownCall(json, call.name) : wrappedObject(json, key, call.parameters);
    if (inner === null) return json;
    reader.noteRepair(
      key === 'name' ? repair('wrapped-arguments', 'call') : repair('wrapped-arguments', 'key', key),
    );
    return inner;
  });
}

/** Whether the arguments may be the whole call once more: the schema has neither of its members. */
function mayHoldCall({ call: { parameters } }: Reader): boolean {
  return (
    parameters.schema !== undefined &&
    !['name', 'arguments', 'parameters'].some((key) => isProperty(parameters, key))
  );
}

/** JSON of the arguments in a whole call of the same tool. */
function ownCall(json: string, toolName: string | null): string | null {
  const call = parseObject(json);
  const [first, second, third] = Object.keys(call ?? {});
  if (call === null || first !== 'name' || call.name !== toolName || third !== undefined) return null;
  const inner = second === 'arguments' || second === 'parameters' ? call[second] : undefined;
  return isObject(inner) ? JSON.stringify(inner) : null;
}

/** JSON of the only object in another one, under `key`, if the schema knows its properties. */
function wrappedObject(json: string, key: string, place: SchemaPlace): string | null {
  const outer = parseObject(json);
  const inner = outer?.[key];
  if (!isObject(inner) || Object.keys(outer ?? {}).length !== 1 || !fits(inner, key, place)) return null;
  return json.slice(json.indexOf(':') + 1, json.lastIndexOf('}')).trim();
}

/** Without a schema, only `arguments` certainly is not the name of an argument. */
function fits(inner: JsonObject, key: string, place: SchemaPlace): boolean {
  if (place.schema === undefined) return key === 'arguments';
  return Object.keys(inner).every((each) => isProperty(place, each));
}

/** Arguments found among the members of a call, as JSON, and a description of the repair. */
interface FoundArguments {
  readonly json: string;
  readonly repair: Repair | null;
}

/** The arguments of a call that has no object under `ownKey`; `null` if it is unclear what they are. */
export function findArguments(
  reader: Reader,
  members: ReadonlyMap<string, string>,
  ownKey: string | undefined,
): FoundArguments | null {
  const { parameters } = reader.call;
  const others = [...members].filter(([key]) => mayBeArgument(parameters, key));
  if (others.length === 0) return { json: '{}', repair: null };
  if (!reader.allows('flat-arguments')) return null;
  const [only, second] = others;
  const isNone = only !== undefined && second === undefined && isEmpty(only[1]);
  if (isNone && (only[0] === ownKey || isArgumentKey.has(only[0])) && !isProperty(parameters, only[0])) {
    return { json: '{}', repair: repair('empty-arguments', 'member', ...only) };
  }
  if (only !== undefined && second === undefined && mayHoldArguments(reader, only[0])) {
    const json = objectIn(only[1]);
    if (json !== null) return { json, repair: repair('arguments-key', 'key', only[0]) };
  }
  if (!others.every(([key]) => isProperty(parameters, key))) return null;
  const entries = others.map(([key, json]) => `${JSON.stringify(key)}: ${json}`);
  return { json: `{${entries.join(', ')}}`, repair: repair('flat-arguments', 'nextToName') };
}

/** What models write for no arguments. */
function isEmpty(json: string): boolean {
  return json === 'null' || json === '""';
}

/** The JSON of an object, which may be inside a string. */
function objectIn(json: string): string | null {
  const value = parseJson(json);
  if (isObject(value)) return json;
  return typeof value === 'string' && parseObject(value) !== null ? value : null;
}
