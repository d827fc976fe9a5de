/**
 * Arguments that a model writes as `null` although they are optional and their schema allows no `null`: it means that
 * they are absent, and they are read so.
 */
import { parseObject } from '../format/json-values.ts';
import type { JsonObject } from '../format/messages.ts';
import { stringEnd } from './json/json-text.ts';
import { meansAbsent, type SchemaPlace } from './steps/schema-place.ts';

/** Arguments as JSON and parsed, and a note on each that was taken out. */
export interface SettledInput {
  readonly json: string;
  readonly value: JsonObject;
  readonly repairs: readonly { readonly law: 'null-argument'; readonly detail: string }[];
}

/** A member of an object in a JSON text. */
interface Member {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/** Removes absent arguments; everything else stays as it is written. */
export function withoutAbsent(input: SettledInput, place: SchemaPlace): SettledInput {
  const { json, value } = input;
  if (place.schema === undefined || !Object.values(value).includes(null)) return input;
  const absent = Object.keys(value).filter((key) => value[key] === null && meansAbsent(place, key));
  if (absent.length === 0) return input;
  const members = membersOf(json);
  const [first, second] = members;
  const last = members.at(-1);
  if (first === undefined || last === undefined) return input;
  const separator = json.slice(first.end, second?.start ?? first.end);
  const kept = members
    .filter(({ key }) => !absent.includes(key))
    .map(({ start, end }) => json.slice(start, end));
  const text = json.slice(0, first.start) + kept.join(separator) + json.slice(last.end);
  return { json: text, value: parseObject(text) ?? value, repairs: absent.map(noteOn) };
}

function noteOn(key: string): SettledInput['repairs'][0] {
  const detail = `the argument ${JSON.stringify(key)} is optional and must not be null; it is left out`;
  return { law: 'null-argument', detail };
}

/** The members of the outermost object of valid JSON. */
function membersOf(json: string): readonly Member[] {
  const members: Member[] = [];
  let at = skipBlank(json, json.indexOf('{') + 1);
  while (json[at] === '"') {
    const keyEnd = stringEnd(json, at);
    const end = valueEnd(json, skipBlank(json, json.indexOf(':', keyEnd) + 1));
    members.push({ key: JSON.parse(json.slice(at, keyEnd)), start: at, end });
    const next = skipBlank(json, end);
    at = json[next] === ',' ? skipBlank(json, next + 1) : json.length;
  }
  return members;
}

/** The end of the value at `start`. */
function valueEnd(json: string, start: number): number {
  let depth = 0;
  let at = start;
  do {
    const char = json[at] ?? '';
    if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    at = char === '"' ? stringEnd(json, at) : at + 1;
  } while (depth > 0);
  const isScalar = !'{["'.includes(json[start] ?? '');
  while (isScalar && /[^\s,}]/.test(json[at] ?? ' ')) at += 1;
  return at;
}

function skipBlank(json: string, from: number): number {
  let at = from;
  while (at < json.length && isBlank(json[at] ?? '')) at += 1;
  return at;
}

function isBlank(char: string): boolean {
  return char === ' ' || char === '\n' || char === '\t' || char === '\r';
}
