/** `type` and `nullable`; booleans of `enum` and `const`. */
import type { JsonObject, JsonValue } from '../../messages.ts';
import { type Assertion, assertion, numberShape } from './assertions.ts';
import { strings } from './object-keywords.ts';
import { isArray } from './schema-document.ts';
import type { Shape, ValueType } from './shapes.ts';

/** The types that a schema names; `nullable: true` (OpenAPI) adds null. */
export function typeAssertion(schema: JsonObject, type: ValueType): readonly Assertion[] | 'never' {
  if (schema.type === undefined) return [];
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

/** Never holds; `all` are the shapes for which it fails. */
export function nothingHolds(all: () => readonly Shape[]): Assertion {
  return assertion(() => [], all);
}

/** The booleans among `values`. */
export function booleanValues(values: readonly JsonValue[]): Assertion {
  const shape = (wanted: readonly boolean[]): readonly Shape[] =>
    wanted.length === 0 ? [] : [{ type: 'boolean', values: wanted }];
  return assertion(
    () => shape([true, false].filter((each) => values.includes(each))),
    () => shape([true, false].filter((each) => !values.includes(each))),
  );
}
