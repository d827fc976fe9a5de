/** Schemas as text, for comparison and for names. */
import { unless } from '../../format/error-class.ts';
import type { JsonSchema } from '../../format/messages.ts';
import { schemaSize } from '../../tools/plain-schema.ts';

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

/** Sizes of what is named by its text: objects that are used in many places may have texts without end. */
const maxNamed = 400_000;

/** All of a schema that `plainSchema` returned, of any size, as JSON; `null` if it is too large or too deep to be named. */
export function wholeText(schema: JsonSchema): string | null {
  return schemaSize(schema) > maxNamed ? null : unless([RangeError], () => JSON.stringify(schema));
}
