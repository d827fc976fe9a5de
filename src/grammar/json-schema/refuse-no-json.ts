/** Schemas come from outside: JavaScript objects need not be JSON. */
import { SchemaError } from '../../errors.ts';

/**
 * Throws `SchemaError` where `schema` holds itself or a number that JSON does not have. What is nested too
 * deeply to be walked is left to the compiler.
 */
export function refuseNoJson(schema: unknown, tool: string): void {
  const inside = new Set<object>();
  const done = new Set<object>();
  const walk = (value: unknown, pointer: string, depth: number): void => {
    const wrong = wrongWith(value, inside);
    if (wrong !== null) {
      throw new SchemaError([{ tool, pointer, keyword: 'schema', effect: 'widened', reason: wrong }]);
    }
    if (typeof value !== 'object' || value === null || done.has(value) || depth > maxDepth) return;
    inside.add(value);
    for (const [key, item] of Object.entries(value)) {
      walk(item, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1);
    }
    inside.delete(value);
    done.add(value);
  };
  walk(schema, '', 0);
}

const maxDepth = 1500;

function wrongWith(value: unknown, inside: ReadonlySet<object>): string | null {
  if (typeof value === 'number' && !Number.isFinite(value)) return `${value} is no number of JSON`;
  if (typeof value === 'bigint') return 'a BigInt is no value of JSON';
  if (typeof value !== 'object' || value === null || !inside.has(value)) return null;
  return 'the object stands inside of itself: a schema is JSON, which says this with `$ref`';
}
