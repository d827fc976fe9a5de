/** `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`. */
import type { JsonObject } from '../../messages.ts';
import { type Assertion, assertion, type KeywordReader, numberShape } from './assertions.ts';
import { decimalOf } from './decimal.ts';
import type { Bound } from './shapes.ts';

/** Reads the keywords for numbers. */
export const readNumberKeywords: KeywordReader = (schema, node, context) => {
  const found: Assertion[] = [
    ...bounds(schema, 'minimum', 'exclusiveMinimum').map(atOrAbove),
    ...bounds(schema, 'maximum', 'exclusiveMaximum').map(atOrBelow),
  ];
  const of = schema.multipleOf;
  if (typeof of === 'number' && of > 0) {
    const multiple = decimalOf(of);
    found.push(
      assertion(
        () => [numberShape({ multiples: [{ of: multiple, holds: true }] })],
        () => [numberShape({ multiples: [{ of: multiple, holds: false }] })],
      ),
    );
  } else if (of !== undefined) {
    context.report(node, 'multipleOf', 'is not a positive number; it is ignored');
  }
  return found;
};

/** The bounds of one side; draft 4 wrote `exclusiveMinimum: true` beside `minimum`. */
function bounds(schema: JsonObject, inclusive: string, exclusive: string): Bound[] {
  const found: Bound[] = [];
  const value = schema[inclusive];
  const strict = schema[exclusive];
  if (typeof value === 'number') found.push({ value: decimalOf(value), exclusive: strict === true });
  if (typeof strict === 'number') found.push({ value: decimalOf(strict), exclusive: true });
  return found;
}

function atOrAbove(bound: Bound): Assertion {
  return assertion(
    () => [numberShape({ min: bound })],
    () => [numberShape({ max: { value: bound.value, exclusive: !bound.exclusive } })],
  );
}

function atOrBelow(bound: Bound): Assertion {
  return assertion(
    () => [numberShape({ max: bound })],
    () => [numberShape({ min: { value: bound.value, exclusive: !bound.exclusive } })],
  );
}
