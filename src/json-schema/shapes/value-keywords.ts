/** `type` and `nullable`; scalars of `enum` and `const`. */
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import type { Terms } from '../../language/regular/terms.ts';
import { decimalOf } from '../document/decimal.ts';
import { numberShape, stringShape } from './any-shape.ts';
import { type Assertion, assertion } from './assertions.ts';
import { isMeant } from './keyword-kinds.ts';
import { strings } from './object-keywords.ts';
import type { Shape, ValueType } from './shapes.ts';
import { knownTypes, typeNames } from './type-names.ts';

/** The types that a schema names; `nullable: true` (OpenAPI) adds null. */
export function typeAssertion(schema: JsonObject, type: ValueType): readonly Assertion[] | 'never' {
  if (schema.type === undefined || !isMeant('type', schema.type)) return [];
  const types = typeNames(schema.type);
  if (types.includes(type) || (type === 'null' && schema.nullable === true)) return [];
  if (type !== 'number' || !types.includes('integer')) return 'never';
  return [
    assertion(
      () => [numberShape({ integer: true })],
      () => [numberShape({ integer: false })],
    ),
  ];
}

/** Whether a schema names one type, and not `type`. */
export function namesOther({ type: name, nullable }: JsonObject, type: ValueType): boolean {
  if (typeof name !== 'string' || name === type) return false;
  if (name === 'integer' ? type === 'number' : !knownTypes.includes(name)) return false;
  return type !== 'null' || nullable !== true;
}

/** Always holds; `all` are all shapes. */
export function anythingHolds(all: () => readonly Shape[]): Assertion {
  return assertion(all, () => []);
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
