/** Calls as JSON, whatever the keys of their name and their arguments are. */
import { isObject, parseJson } from '../../format/json-values.ts';
import { memoize } from '../../format/memoize.ts';
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import { argumentKeys, callKey, listKey, nameKeys } from '../leniency/call-keys.ts';
import type { EnvelopePaths } from '../state-tables.ts';
import type { ToolTable } from '../tool-table.ts';
import { maxBeginning } from './around-calls.ts';

/** The calls in a JSON value: itself, the items of a list, or those of a list in an object; `null` if it is none. */
export function callsIn(json: string): readonly JsonValue[] | null {
  const value = parseJson(json);
  if (Array.isArray(value)) return value.length === 0 ? null : value;
  if (!isObject(value)) return null;
  const list = Object.keys(value).length === 1 ? value[listKey] : undefined;
  return Array.isArray(list) && list.length > 0 ? list : [value];
}

/** The paths to the name of an offered tool and to its arguments, an object; `null` if the value is no such call. */
export function callPaths(tools: ToolTable, call: JsonValue | undefined): EnvelopePaths | null {
  if (!isObject(call)) return null;
  const inner = call[callKey];
  const places: readonly (readonly [readonly string[], JsonObject])[] = [
    [[], call],
    ...(isObject(inner) ? [[[callKey], inner] as const] : []),
  ];
  const name = places.flatMap(([path, place]) => pathTo(path, place, nameKeys, isName(tools)))[0];
  const values = places.flatMap(([path, place]) => pathTo(path, place, argumentKeys, isArguments))[0];
  return name === undefined || values === undefined ? null : { name, arguments: values, id: ['id'] };
}

function pathTo(
  path: readonly string[],
  place: JsonObject,
  keys: Iterable<string>,
  fits: (value: JsonValue | undefined) => boolean,
): readonly (readonly string[])[] {
  return [...keys]
    .filter((key) => Object.hasOwn(place, key) && fits(place[key]))
    .map((key) => [...path, key]);
}

function isName(tools: ToolTable): (value: JsonValue | undefined) => boolean {
  return (value) => typeof value === 'string' && (tools.has(value) || !tools.known);
}

function isArguments(value: JsonValue | undefined): boolean {
  return isObject(typeof value === 'string' ? parseJson(value) : value);
}

/** Beginnings of calls other than their name. */
const otherBeginnings = [
  '{"type":"function"',
  '{"id":"',
  '{"function":{"name":"',
  '{"function":{"arguments":',
  '{"arguments":{',
  '{"parameters":{',
  `{"${listKey}":[`,
];

/** The texts with which calls of these tools begin, without white space. */
export const beginningsOf = memoize((tools: ToolTable): readonly string[] => {
  const names = tools.names().flatMap((name) => {
    const text = JSON.stringify(name).replace(/\s/g, '');
    return [...nameKeys].map((key) => `{"${key}":${text}`);
  });
  return [...otherBeginnings, ...names];
});

/** Whether a text is the beginning of such a call, or may become it. */
export function mayBeginCall(tools: ToolTable, text: string): boolean {
  const written = text.slice(0, maxBeginning).replace(/\s/g, '');
  return beginningsOf(tools).some((each) => each.startsWith(written) || written.startsWith(each));
}
