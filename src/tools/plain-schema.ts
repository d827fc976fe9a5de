/** Validates schemas of callers: JavaScript objects need not be JSON, and JSON may be of any size. */

import { SchemaError } from '../format/errors.ts';
import { pointerPart } from '../format/json-values.ts';
import type { JsonSchema } from '../format/messages.ts';
import { finish, type Steps } from '../language/expression/steps.ts';
import { isLibrarySchema } from './library-schema.ts';

/** Maximum number of values in a schema. An object that is used in several places counts in each, as in JSON. */
const maxValues = 200_000;
const maxDepth = 1500;
/** Maximum length of a property's name: each character is a state of the grammar, and a model has to write them all. */
const maxNameLength = 8_192;

/** Values that are read in one step. */
const stepValues = 5_000;

/** Sizes of schemas that are JSON: they are read by several stages, and come with each request. */
const sizes = new WeakMap<object, number>();
/** Characters of texts that cost as much as a value. */
const charactersOfValue = 256;
/** Those of names: each one is a state of its own. */
const charactersOfName = 32;

/**
 * `schema` as JSON: itself, or a copy if properties are undefined or computed. Throws `SchemaError` if it contains
 * itself, something that JSON does not have (a number that is not finite, a function, a `Date`, a getter that throws)
 * or a schema of a library, has too many values or too long a name, or is nested too deeply.
 */
export function plainSchema(schema: JsonSchema, tool: string): JsonSchema {
  return finish(plainSchemaSteps(schema, tool));
}

/** `plainSchema` in steps. */
export function* plainSchemaSteps(schema: JsonSchema, tool: string): Steps<JsonSchema> {
  if (isContainer(schema) && sizes.has(schema)) return schema;
  const walk = new SchemaWalk();
  try {
    const size =
      (yield* walk.measure(schema)) +
      Math.floor(walk.characters / charactersOfValue) +
      Math.floor(walk.named / charactersOfName);
    const plain = walk.needsCopy ? (JSON.parse(JSON.stringify(schema)) as JsonSchema) : schema;
    if (isContainer(plain)) sizes.set(plain, size);
    return plain;
  } catch (error) {
    const reason = error instanceof RangeError ? tooDeep : reasonOf(error);
    throw new SchemaError([{ tool, pointer: walk.pointer, keyword: 'schema', effect: 'widened', reason }]);
  }
}

/** The number of values in a schema that `plainSchema` returned; a long text counts as several. */
export function schemaSize(schema: JsonSchema): number {
  return isContainer(schema) ? (sizes.get(schema) ?? 0) : 1;
}

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

const tooDeep = 'it is nested too deeply';

class NotJson extends Error {}

/** Keywords whose values are data. */
const dataKeywords = new Set(['const', 'enum', 'default', 'examples', 'example']);

/**
 * Walks through a schema, and counts first: a schema that is too large is rejected after the maximum number of values.
 */
class SchemaWalk {
  needsCopy = false;
  /** Of all texts. */
  characters = 0;
  /** Of all names. */
  named = 0;
  #seen = 0;
  #nextStep = stepValues;
  readonly #path: string[] = [];
  readonly #inside = new Set<object>();
  readonly #sizes = new Map<object, number>();

  /** JSON pointer to the current value. */
  get pointer(): string {
    return this.#path.map((key) => `/${pointerPart(key)}`).join('');
  }

  /** Number of values in `value`, including itself. */
  *measure(value: unknown): Steps<number> {
    if (!isContainer(value)) return this.#scalar(value);
    if (this.#inside.has(value))
      throw new NotJson('the object contains itself: a schema is JSON; use `$ref` for recursion');
    const known = this.#sizes.get(value);
    if (known !== undefined) return known;
    if (this.#path.length > maxDepth) throw new NotJson(tooDeep);
    this.#counted(1);
    this.#inside.add(value);
    const size = yield* this.#sizeOf(value);
    this.#inside.delete(value);
    this.#sizes.set(value, size);
    return size;
  }

  /** Whether the place is in a value, and not in a schema. */
  #isData(): boolean {
    return this.#path.some((key, at) => dataKeywords.has(key) && this.#path[at - 1] !== 'properties');
  }

  #name(name: string): void {
    this.named += name.length;
    if (name.length > maxNameLength)
      throw new NotJson(`has a name of ${name.length} characters; names have at most ${maxNameLength}`);
  }

  #scalar(value: unknown): number {
    if (typeof value === 'string') {
      this.characters += value.length;
      if (this.#path.at(-2) === 'required' && !this.#isData()) this.#name(value);
    }
    const wrong = scalarWrong(value);
    if (wrong !== null) throw new NotJson(wrong);
    return this.#counted(1);
  }

  *#sizeOf(value: object): Steps<number> {
    let size = 1;
    for (const key of keysOf(value)) {
      this.#path.push(key);
      if (this.#path.at(-2) === 'properties' && !this.#isData()) this.#name(key);
      const item = this.#read(value, key);
      if (item === undefined && !Array.isArray(value)) this.needsCopy = true;
      else size += isContainer(item) ? yield* this.measure(item) : this.#scalar(item);
      if (this.#seen >= this.#nextStep) {
        this.#nextStep = this.#seen + stepValues;
        yield;
      }
      if (size > maxValues) {
        this.#path.pop();
        throw new NotJson(tooMany);
      }
      this.#path.pop();
    }
    return size;
  }

  #read(value: object, key: string): unknown {
    const own = readable(() => Object.getOwnPropertyDescriptor(value, key));
    if (own !== undefined && 'value' in own) return own.value;
    this.needsCopy = true;
    return readable(() => Reflect.get(value, key));
  }

  #counted(size: number): number {
    this.#seen += size;
    if (this.#seen <= maxValues) return size;
    // The whole schema is too large, so the pointer is empty.
    this.#path.length = 0;
    throw new NotJson(tooMany);
  }
}

const tooMany = `has more than ${maxValues} values, each counted where it stands`;

function scalarWrong(value: unknown): string | null {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? null : `${value} is not a JSON number`;
    case 'bigint':
      return 'a BigInt is not a JSON value';
    case 'function':
      return readable(() => isLibrarySchema(value)) ? ofLibrary : 'a function is not a JSON value';
    case 'symbol':
    case 'undefined':
      return `${String(value)} is not a JSON value`;
    default:
      return null;
  }
}

const ofLibrary =
  'is a schema of a validation library, and not JSON Schema: give the whole schema as the library makes it, in a version that implements Standard JSON Schema';

/** The keys of an object that can be JSON; for an array also those of its holes. */
function keysOf(value: object): Iterable<string> {
  if (readable(() => isLibrarySchema(value))) throw new NotJson(ofLibrary);
  const tag = readable(() => Object.prototype.toString.call(value)).slice('[object '.length, -1);
  if (tag !== 'Object' && tag !== 'Array') throw new NotJson(`a ${tag} is not a JSON value`);
  if (readable(() => typeof Reflect.get(value, 'toJSON')) === 'function')
    throw new NotJson('has a method `toJSON`: give what it returns');
  if (Array.isArray(value)) {
    if (value.length > maxValues) throw new NotJson(tooMany);
    return Array.from({ length: value.length }, (_, index) => String(index));
  }
  const keys = readable(() => Object.keys(value));
  if (keys.length > maxValues) throw new NotJson(tooMany);
  return keys;
}

/** The result of `read`; objects with getters, and proxies, may throw anything. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new NotJson(`it cannot be read: ${reasonOf(error)}`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
