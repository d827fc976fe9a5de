/** Schemas as text, for comparison. */
import { unless } from '../../format/error-class.ts';

/** Larger schemas are not compared: an object referenced in many places may unfold to millions of values. */
const maxValues = 20_000;

class TooLarge extends Error {}

/** The schema as JSON; `null` if it is too large or too deep to compare. */
export function schemaText(schema: unknown): string | null {
  let values = 0;
  const count = (_key: string, value: unknown): unknown => {
    values += 1;
    if (values > maxValues) throw new TooLarge();
    return value;
  };
  return unless([TooLarge, RangeError], () => JSON.stringify(schema, count) ?? '');
}
