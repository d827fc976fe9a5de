/** Schemas come from outside: JavaScript objects need not be JSON. */
import { SchemaError } from '../../errors.ts';

/** Values that a schema may have. An object that stands in many places counts in each, as it does in JSON. */
const mostValues = 200_000;
const maxDepth = 1500;

/**
 * Throws `SchemaError` where `schema` holds itself, a number that JSON does not have, or objects that stand in
 * so many places that as JSON it would be huge. What is nested too deeply to be walked is left to the compiler.
 */
export function refuseNoJson(schema: unknown, tool: string): void {
  const inside = new Set<object>();
  const sizes = new Map<object, number>();
  const refuse = (pointer: string, reason: string): never => {
    throw new SchemaError([{ tool, pointer, keyword: 'schema', effect: 'widened', reason }]);
  };
  /** How many values there are in `value`, itself included. */
  const measure = (value: unknown, pointer: string, depth: number): number => {
    const wrong = wrongWith(value, inside);
    if (wrong !== null) refuse(pointer, wrong);
    if (typeof value !== 'object' || value === null || depth > maxDepth) return 1;
    const known = sizes.get(value);
    if (known !== undefined) return known;
    inside.add(value);
    let size = 1;
    for (const [key, item] of Object.entries(value)) {
      size += measure(item, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1);
    }
    if (size > mostValues)
      refuse(pointer, `has more than ${mostValues} values, each counted where it stands`);
    inside.delete(value);
    sizes.set(value, size);
    return size;
  };
  measure(schema, '', 0);
}

function wrongWith(value: unknown, inside: ReadonlySet<object>): string | null {
  if (typeof value === 'number' && !Number.isFinite(value)) return `${value} is no number of JSON`;
  if (typeof value === 'bigint') return 'a BigInt is no value of JSON';
  if (typeof value !== 'object' || value === null || !inside.has(value)) return null;
  return 'the object stands inside of itself: a schema is JSON, which says this with `$ref`';
}
