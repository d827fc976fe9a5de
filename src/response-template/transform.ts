/** Transforms: the final shape of a value, with placeholders such as `{name}` and `{content.args}`. */

import { ResponseFieldError, ResponseTemplateError } from '../format/errors.ts';
import { isObject, pointerPart } from '../format/json-values.ts';
import type { JsonObject, JsonValue } from '../format/messages.ts';
import { wordMembers } from './pattern/read-class.ts';
import { pythonTypeName } from './python-values.ts';

const names = `[${wordMembers}]+(?:\\.[${wordMembers}]+)*`;
const wholePlaceholder = new RegExp(`^\\{(${names})\\}$`, 'u');
const placeholderInside = new RegExp(`\\{${names}\\}`, 'u');
const maxDepth = 100;

/** The values that placeholders can name. */
export type TransformScope = ReadonlyMap<string, JsonValue>;

/**
 * Checks a transform's texts.
 *
 * @throws {ResponseTemplateError} for one that mixes a placeholder with other text, or nests too deeply.
 */
export function checkTransform(shape: unknown, pointer: string, depth = 0): void {
  if (depth > maxDepth) throw new ResponseTemplateError({ pointer, reason: 'is nested too deeply' });
  if (typeof shape === 'string') {
    if (!wholePlaceholder.test(shape) && placeholderInside.test(shape)) {
      const reason = `${JSON.stringify(shape)} mixes a placeholder with other text; a placeholder must stand alone`;
      throw new ResponseTemplateError({ pointer, reason });
    }
  } else if (typeof shape === 'object' && shape !== null) {
    for (const [key, value] of Object.entries(shape)) {
      checkTransform(value, `${pointer}/${pointerPart(key)}`, depth + 1);
    }
  }
}

/**
 * Fills `shape` in.
 *
 * @throws {ResponseFieldError} for a placeholder that names nothing in `scope`.
 */
export function applyTransform(shape: JsonValue, scope: TransformScope, field: string): JsonValue {
  if (typeof shape === 'string') {
    return placeholderPath(shape) === null ? shape : placeholder(shape, scope, field);
  }
  if (Array.isArray(shape)) return shape.map((item: JsonValue) => applyTransform(item, scope, field));
  if (typeof shape !== 'object' || shape === null) return shape;
  return objectFrom(Object.entries(shape).map(([key, value]) => [key, applyTransform(value, scope, field)]));
}

/** The path of a string that is a placeholder, `["content", "a"]` for `{content.a}`; `null` for other strings. */
export function placeholderPath(text: string): readonly string[] | null {
  return wholePlaceholder.exec(text)?.[1]?.split('.') ?? null;
}

/**
 * What a placeholder stands for.
 *
 * @throws {ResponseFieldError} when it names nothing in `scope`.
 */
export function placeholder(shape: string, scope: TransformScope, field: string): JsonValue {
  return lookUp(placeholderPath(shape) ?? [], scope, { shape, field });
}

interface PlaceholderContext {
  readonly shape: string;
  readonly field: string;
}

function lookUp(path: readonly string[], scope: TransformScope, place: PlaceholderContext): JsonValue {
  const [first = '', ...rest] = path;
  const found = scope.get(first);
  if (found === undefined) {
    const known = [...scope.keys()].sort().join(', ');
    throw failure(place, `transform placeholder ${place.shape} is not defined; there are ${known}`);
  }
  let value: JsonValue = found;
  for (const key of rest) {
    if (!isObject(value)) {
      throw failure(
        place,
        `transform placeholder ${place.shape} cannot look for ${key} in ${pythonTypeName(value)}`,
      );
    }
    const next: JsonValue | undefined = Object.hasOwn(value, key) ? value[key] : undefined;
    if (next === undefined) throw failure(place, `transform placeholder ${place.shape} finds no ${key}`);
    value = next;
  }
  return value;
}

function failure(place: PlaceholderContext, reason: string): ResponseFieldError {
  return new ResponseFieldError({ field: place.field, reason, raw: '' });
}

/** A plain object with untrusted keys: `__proto__` is a key like any other. */
export function objectFrom(entries: Iterable<readonly [string, JsonValue]>): JsonObject {
  const object: Record<string, JsonValue> = {};
  for (const [key, value] of entries) {
    Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true });
  }
  return object;
}
