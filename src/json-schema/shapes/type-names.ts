/** JSON Schema's type names, and the type that an unknown name probably means. */
import type { JsonValue } from '../../format/messages.ts';
import { isArray } from '../document/schema-document.ts';
import { valueTypes } from './shapes.ts';

/** The types of JSON Schema. */
export const knownTypes: readonly string[] = [...valueTypes, 'integer'];

/** The valid type names in the value of `type`. */
export function typeNames(type: JsonValue): readonly string[] {
  return listed(type).filter((name): name is string => isTypeName(name));
}

/** The invalid type names in the value of `type`. */
export function unknownTypes(type: JsonValue): readonly JsonValue[] {
  return listed(type).filter((name) => !isTypeName(name));
}

function listed(type: JsonValue): readonly JsonValue[] {
  return isArray(type) ? type : [type];
}

function isTypeName(name: JsonValue): boolean {
  return typeof name === 'string' && knownTypes.includes(name);
}

/** Names of the types in other languages and libraries. */
const otherNames: ReadonlyMap<string, string> = new Map(
  Object.entries({
    array: ['list', 'tuple', 'set', 'sequence', 'vector'],
    boolean: ['logical', 'yesno'],
    integer: ['long', 'bigint', 'uint', 'uint32', 'uint64', 'timestamp'],
    null: ['none', 'nil', 'undefined', 'void'],
    number: ['float', 'double', 'decimal', 'real', 'numeric', 'currency'],
    object: ['dict', 'dictionary', 'map', 'record', 'struct', 'json'],
    string: ['text', 'varchar', 'char', 'file', 'bytes', 'binary', 'path'],
  }).flatMap(([type, names]) => names.map((name) => [name, type] as const)),
);
const anyType: ReadonlySet<string> = new Set(['any', 'all', 'mixed', 'unknown', 'variant', '*']);
const formatNames = /^(?:date|time|date-?time|duration|email|hostname|ip|ipv[46]|ur[il]|uuid|guid|regex)$/;

/** A suggestion for an invalid type name; empty if there is none. */
export function meantType(name: JsonValue): string {
  if (typeof name !== 'string' || name === '') return '';
  const written = name.toLowerCase().trim();
  if (anyType.has(written)) return '; leave `type` out to allow any value';
  if (formatNames.test(written)) return '; is "string" with a `format` meant?';
  if (written === 'enum') return '; list the values with `enum`';
  if (/\[\]$|^(?:array|list)\s*[<[(]/.test(written)) return '; is "array" with `items` meant?';
  const several = written.split(/[|,/]|\sor\s/).map((type) => type.trim());
  if (several.length > 1 && several.every((type) => knownTypes.includes(type)))
    return `; several types are a list: ${JSON.stringify(several)}`;
  const meant = otherNames.get(written) ?? similarType(written);
  return meant === undefined ? '' : `; is ${JSON.stringify(meant)} meant?`;
}

/** A type whose name differs in case, or by missing or extra letters: `strng`, `String`, `int`. */
function similarType(written: string): string | undefined {
  if (written.length < 3) return undefined;
  return knownTypes.find((type) => holdsInOrder(type, written) || holdsInOrder(written, type));
}

/** Whether the letters of `part` come in `whole` in their order, from the first on. */
function holdsInOrder(whole: string, part: string): boolean {
  let at = 0;
  for (const letter of whole) if (letter === part[at]) at += 1;
  return at === part.length && whole[0] === part[0];
}
