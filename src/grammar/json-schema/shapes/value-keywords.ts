/** `type` and `nullable`; scalars of `enum` and `const`. */
import type { JsonObject, JsonValue } from '../../../format/messages.ts';
import type { Terms } from '../../regular/terms.ts';
import { decimalOf } from '../document/decimal.ts';
import { isArray, type SchemaNode } from '../document/schema-document.ts';
import { type Assertion, assertion, type ExpansionContext, numberShape, stringShape } from './assertions.ts';
import { isMeant } from './keyword-kinds.ts';
import { strings } from './object-keywords.ts';
import { type Shape, type ValueType, valueTypes } from './shapes.ts';

/** The types that a schema names; `nullable: true` (OpenAPI) adds null. */
export function typeAssertion(schema: JsonObject, type: ValueType): readonly Assertion[] | 'never' {
  if (schema.type === undefined || !isMeant('type', schema.type)) return [];
  const types = strings(isArray(schema.type) ? schema.type : [schema.type]);
  if (types.includes(type) || (type === 'null' && schema.nullable === true)) return [];
  if (type !== 'number' || !types.includes('integer')) return 'never';
  return [
    assertion(
      () => [numberShape({ integer: true })],
      () => [numberShape({ integer: false })],
    ),
  ];
}

/** Always holds; `all` are all shapes. */
export function anythingHolds(all: () => readonly Shape[]): Assertion {
  return assertion(all, () => []);
}

/** Says which names of `type` are none, and that an `enum` without null leaves `nullable` without effect. */
export function reportTypes(
  schema: JsonObject,
  node: SchemaNode,
  context: Pick<ExpansionContext, 'report'>,
): void {
  const named = isArray(schema.type) ? schema.type : typeof schema.type === 'string' ? [schema.type] : [];
  const unknown = named.filter((name) => typeof name !== 'string' || !knownTypes.includes(name));
  if (unknown.length > 0) {
    const names = unknown.map((name) => JSON.stringify(name)).join(', ');
    const reason = `${names} is not a type of JSON Schema (${knownTypes.join(', ')}); no value has it`;
    context.report(node, 'type', reason + unknown.map(meantType).join(''), 'narrowed');
  }
  const { nullable, enum: values, const: value } = schema;
  const listed = value === undefined ? values : [value];
  if (nullable === true && isArray(listed) && !listed.includes(null)) {
    context.report(
      node,
      'nullable',
      'null is not among the values that are listed, so it is not written',
      'narrowed',
    );
  }
}

const knownTypes: readonly string[] = [...valueTypes, 'integer'];

/** What other languages and libraries call the types. */
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

/** What to write in place of a type that does not exist. */
function meantType(name: JsonValue): string {
  if (typeof name !== 'string' || name === '') return '';
  const written = name.toLowerCase().trim();
  if (anyType.has(written)) return '; leave `type` out to allow any value';
  if (formatNames.test(written)) return '; is "string" with a `format` meant?';
  if (written === 'enum') return '; list the values with `enum`';
  if (/\[\]$|^(?:array|list)\s*[<[(]/.test(written)) return '; is "array" with `items` meant?';
  const several = written.split(/\s*[|,/]\s*|\s+or\s+/);
  if (several.length > 1 && several.every((type) => knownTypes.includes(type)))
    return `; several types are a list: ${JSON.stringify(several)}`;
  const meant = otherNames.get(written) ?? similarType(written);
  return meant === undefined ? '' : `; is ${JSON.stringify(meant)} meant?`;
}

/** A type whose name differs in case, or by letters that are missing or too many: `strng`, `String`, `int`. */
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

/** Never holds; `all` are the shapes for which it fails. */
function nothingHolds(all: () => readonly Shape[]): Assertion {
  return assertion(() => [], all);
}

/** The booleans among `values`. */
function booleanValues(values: readonly JsonValue[]): Assertion {
  const shape = (wanted: readonly boolean[]): readonly Shape[] =>
    wanted.length === 0 ? [] : [{ type: 'boolean', values: wanted }];
  return assertion(
    () => shape([true, false].filter((each) => values.includes(each))),
    () => shape([true, false].filter((each) => !values.includes(each))),
  );
}

/** `enum` and `const` for values of a scalar `type`, of which `any` are all shapes. */
export function scalarValues(
  values: readonly JsonValue[],
  type: 'null' | 'boolean' | 'number' | 'string',
  any: readonly Shape[],
  terms: Terms,
): Assertion {
  switch (type) {
    case 'null':
      return (values.includes(null) ? anythingHolds : nothingHolds)(() => any);
    case 'boolean':
      return booleanValues(values);
    case 'number': {
      const only = values.filter((each) => typeof each === 'number').map(decimalOf);
      return assertion(
        () => (only.length === 0 ? [] : [numberShape({ only })]),
        () => [numberShape({ excluded: only })],
      );
    }
    case 'string': {
      const language = terms.words(strings(values));
      return assertion(
        () => (language === terms.nothing ? [] : [stringShape(terms, { language })]),
        () => [stringShape(terms, { language: terms.not(language) })],
      );
    }
  }
}
