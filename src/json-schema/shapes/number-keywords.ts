/** `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, and `format` of integers. */
import type { JsonObject, JsonValue } from '../../format/messages.ts';
import { compareDecimals, type Decimal, decimalOf, normalDecimal } from '../document/decimal.ts';
import type { IntegerRange } from '../document/formats.ts';
import type { SchemaNode } from '../document/schema-document.ts';
import { numberShape } from './any-shape.ts';
import { type Assertion, assertion, type ExpansionContext, type KeywordReader } from './assertions.ts';
import type { Bound } from './shapes.ts';

/** Reads the number keywords. */
export const readNumberKeywords: KeywordReader = (schema, node, context) => {
  const found: Assertion[] = [
    ...bounds(schema, node, context, 'minimum', 'exclusiveMinimum').map(atOrAbove),
    ...bounds(schema, node, context, 'maximum', 'exclusiveMaximum').map(atOrBelow),
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
  }
  const range = typeof schema.format === 'string' ? context.formatRange(node, schema.format) : null;
  return range === null ? found : [...found, integersIn(range)];
};

function integersIn({ least, most }: IntegerRange): Assertion {
  const [min, max] = [normalDecimal(least, 0), normalDecimal(most, 0)];
  return assertion(
    () => [
      numberShape({
        integer: true,
        min: { value: min, exclusive: false },
        max: { value: max, exclusive: false },
      }),
    ],
    () => [
      numberShape({ integer: false }),
      numberShape({ max: { value: min, exclusive: true } }),
      numberShape({ min: { value: max, exclusive: true } }),
    ],
  );
}

/** A bound as far as it is known: if its JSON number was rounded, the neighbouring numbers on both sides. */
interface KnownBound {
  readonly below: Decimal;
  readonly above: Decimal;
  readonly exclusive: boolean;
}

/** Bounds beyond this are moved here: numbers beyond have more digits than are written. */
const largest = decimalOf(1e21);

/** The bounds of one side; draft 4 has `exclusiveMinimum: true` next to `minimum`. */
function bounds(
  schema: JsonObject,
  node: SchemaNode,
  context: ExpansionContext,
  inclusive: string,
  exclusive: string,
): KnownBound[] {
  const strict = schema[exclusive];
  const known = (keyword: string, value: JsonValue | undefined, isExclusive: boolean): KnownBound[] => {
    if (typeof value !== 'number') return [];
    if (Math.abs(value) <= Number.MAX_SAFE_INTEGER || !Number.isFinite(value)) {
      const exact = decimalOf(value);
      return [{ below: exact, above: exact, exclusive: isExclusive }];
    }
    const reason = `numbers beyond 2^53 are rounded where JSON is read: the bound is moved inwards, to a neighbour of ${value}`;
    context.report(node, keyword, reason, 'narrowed');
    return [{ below: neighbour(value, -1), above: neighbour(value, 1), exclusive: false }];
  };
  return [...known(inclusive, schema[inclusive], strict === true), ...known(exclusive, strict, true)];
}

/** The next double below or above `value`, which is an integer. */
function neighbour(value: number, direction: 1 | -1): Decimal {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  view.setBigInt64(0, view.getBigInt64(0) + BigInt(value > 0 ? direction : -direction));
  const next = view.getFloat64(0);
  return normalDecimal(Number.isFinite(next) ? BigInt(next) : 2n * BigInt(value), 0);
}

/** Limits a far bound, whose digits alone would make a large automaton. */
function nearer(bound: Bound, direction: 1 | -1): Bound {
  const limit: Decimal = { ...largest, digits: largest.digits * BigInt(direction) };
  return compareDecimals(bound.value, limit) * direction > 0 ? { value: limit, exclusive: true } : bound;
}

function atOrAbove({ below, above, exclusive }: KnownBound): Assertion {
  const lowest: Bound = { value: above, exclusive };
  return assertion(
    () => [numberShape({ min: nearer(lowest, -1) })],
    () => [numberShape({ max: { value: below, exclusive: !exclusive } })],
  );
}

function atOrBelow({ below, above, exclusive }: KnownBound): Assertion {
  const highest: Bound = { value: below, exclusive };
  return assertion(
    () => [numberShape({ max: nearer(highest, 1) })],
    () => [numberShape({ min: { value: above, exclusive: !exclusive } })],
  );
}
