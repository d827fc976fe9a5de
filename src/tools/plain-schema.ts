/** Schemas come from outside: JavaScript objects need not be JSON. */

import { SchemaError } from '../format/errors.ts';
import { pointerPart } from '../format/json-values.ts';
import type { JsonSchema } from '../format/messages.ts';
import { isLibrarySchema } from './library-schema.ts';

/** Values that a schema may have. An object that stands in many places counts in each, as it does in JSON. */
const mostValues = 200_000;
const maxDepth = 1500;

/** What is wrong with a value, and its JSON pointer. */
class NotJson extends Error {
  readonly pointer: string;
  constructor(pointer: string, reason: string) {
    super(reason);
    this.pointer = pointer;
  }
}

/**
 * `schema` as JSON: itself, or a copy where properties are undefined. Throws `SchemaError` where it holds
 * itself, something that JSON does not have (a number that is not finite, a function, a `Date`, a getter that
 * throws), a schema of a library, or objects that stand in so many places that as JSON it would be huge. What
 * is nested too deeply to be walked is left to the compiler.
 */
export function plainSchema(schema: JsonSchema, tool: string): JsonSchema {
  const walk = new Walk();
  try {
    walk.measure(schema, '', 0);
    return walk.sawUndefined ? (JSON.parse(JSON.stringify(schema)) as JsonSchema) : schema;
  } catch (error) {
    const pointer = error instanceof NotJson ? error.pointer : '';
    const reason = error instanceof RangeError ? 'it is nested too deeply' : reasonOf(error);
    throw new SchemaError([{ tool, pointer, keyword: 'schema', effect: 'widened', reason }]);
  }
}

class Walk {
  sawUndefined = false;
  readonly #inside = new Set<object>();
  readonly #sizes = new Map<object, number>();

  /** How many values there are in `value`, itself included. */
  measure(value: unknown, pointer: string, depth: number): number {
    if (typeof value !== 'object' || value === null) {
      const wrong = scalarWrong(value);
      if (wrong !== null) throw new NotJson(pointer, wrong);
      return 1;
    }
    if (this.#inside.has(value))
      throw new NotJson(pointer, 'the object contains itself: a schema is JSON; use `$ref` for recursion');
    const known = this.#sizes.get(value);
    if (known !== undefined || depth > maxDepth) return known ?? 1;
    this.#inside.add(value);
    let size = 1;
    for (const [key, item] of entriesOf(value, pointer)) {
      if (item === undefined && !Array.isArray(value)) this.sawUndefined = true;
      else size += this.measure(item, `${pointer}/${pointerPart(key)}`, depth + 1);
    }
    if (size > mostValues)
      throw new NotJson(pointer, `has more than ${mostValues} values, each counted where it stands`);
    this.#inside.delete(value);
    this.#sizes.set(value, size);
    return size;
  }
}

function scalarWrong(value: unknown): string | null {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? null : `${value} is not a JSON number`;
    case 'bigint':
      return 'a BigInt is not a JSON value';
    case 'function':
      return isLibrarySchema(value) ? ofLibrary : 'a function is not a JSON value';
    case 'symbol':
    case 'undefined':
      return `${String(value)} is not a JSON value`;
    default:
      return null;
  }
}

const ofLibrary =
  'is a schema of a validation library, and not JSON Schema: give the whole schema as the library makes it, in a version that implements Standard JSON Schema';

/** The properties of an object that can be JSON. */
function entriesOf(value: object, pointer: string): readonly (readonly [string, unknown])[] {
  if (isLibrarySchema(value)) throw new NotJson(pointer, ofLibrary);
  const tag = Object.prototype.toString.call(value).slice('[object '.length, -1);
  if (tag !== 'Object' && tag !== 'Array') throw new NotJson(pointer, `a ${tag} is not a JSON value`);
  try {
    return Object.entries(value);
  } catch (error) {
    throw new NotJson(pointer, `it cannot be read: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
