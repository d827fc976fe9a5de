/** Schemas as text, by which equal ones are known. */

/** Values in a schema beyond which it is not compared: an object that stands in many places may unfold to millions. */
const mostValues = 20_000;

class TooLarge extends Error {}

/** The schema as JSON; `null` where it is too large or too deep to be compared. */
export function schemaText(schema: unknown): string | null {
  let values = 0;
  const count = (_key: string, value: unknown): unknown => {
    values += 1;
    if (values > mostValues) throw new TooLarge();
    return value;
  };
  try {
    return JSON.stringify(schema, count) ?? '';
  } catch (error) {
    if (error instanceof TooLarge || error instanceof RangeError) return null;
    throw error;
  }
}
