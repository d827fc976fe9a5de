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
    const reason = `${names} is no type of JSON Schema (${knownTypes.join(', ')}); no value is of it`;
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

/** A type whose name differs in case, or by letters that are missing or too many: `strng`, `String`, `int`. */
function meantType(name: JsonValue): string {
  if (typeof name !== 'string' || name.length < 3) return '';
  const written = name.toLowerCase();
  const meant = knownTypes.find((type) => holdsInOrder(type, written) || holdsInOrder(written, type));
  return meant === undefined ? '' : `; is ${JSON.stringify(meant)} meant?`;
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
