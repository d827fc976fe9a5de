/**
 * Arguments that a model writes as `null` although they are optional and their schema allows no `null`: it means that
 * they are absent, and they are read so.
 */
import { stringEnd } from './json/json-text.ts';
import { meansAbsent, type SchemaPlace } from './steps/schema-place.ts';

/** Arguments as JSON without those that are absent, and their names. */
export interface SettledArguments {
  readonly json: string;
  readonly absent: readonly string[];
}

/** A member of an object in a JSON text. */
interface Member {
  readonly key: string;
  readonly start: number;
  /** Where its value begins, and ends. */
  readonly value: number;
  readonly end: number;
}

/** Removes absent arguments from `json`, a valid object; everything else stays as it is written. */
export function withoutAbsent(json: string, place: SchemaPlace): SettledArguments {
  if (place.schema === undefined || !json.includes('null')) return { json, absent: [] };
  const members = membersOf(json);
  const isAbsent = ({ key, value, end }: Member): boolean =>
    json.slice(value, end) === 'null' && meansAbsent(place, key);
  const absent = members.filter(isAbsent).map(({ key }) => key);
  const [first, second] = members;
  const last = members.at(-1);
  if (absent.length === 0 || first === undefined || last === undefined) return { json, absent };
  const separator = json.slice(first.end, second?.start ?? first.end);
  const kept = members.filter((member) => !isAbsent(member)).map(({ start, end }) => json.slice(start, end));
  return { json: json.slice(0, first.start) + kept.join(separator) + json.slice(last.end), absent };
}

/** The members of the outermost object of valid JSON. */
function membersOf(json: string): readonly Member[] {
  const members: Member[] = [];
  let at = skipBlank(json, json.indexOf('{') + 1);
  while (json[at] === '"') {
    const keyEnd = stringEnd(json, at);
    const value = skipBlank(json, json.indexOf(':', keyEnd) + 1);
    const end = valueEnd(json, value);
    members.push({ key: JSON.parse(json.slice(at, keyEnd)), start: at, value, end });
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
