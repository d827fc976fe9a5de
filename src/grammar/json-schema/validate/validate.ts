/**
 * Validation after a call, for what a grammar does not enforce: Ajv, compiled once per schema. What it would judge
 * otherwise than the grammar is judged by the grammar's own means: patterns, formats, decimals, own properties.
 */
import { Ajv, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { SchemaError } from '../../../format/errors.ts';
import type { JsonSchema, JsonValue } from '../../../format/messages.ts';
import { plainSchema } from '../../../tools/plain-schema.ts';
import { type SchemaInput, toJsonSchema } from '../../../tools/standard-schema.ts';
import { decimalOf, isMultiple } from '../document/decimal.ts';
import { formatPattern } from '../document/formats.ts';
import { isObject } from '../document/schema-document.ts';
import { type AjvReading, forAjv } from './ajv-schema.ts';
import { hasNamedParts, withLocalReferences } from './local-references.ts';
import { patternTest, type TextTest } from './pattern-test.ts';
import { isTooLarge, tooLarge } from './schema-size.ts';

/** One way in which a value is not valid. */
export interface ValidationFailure {
  /** JSON pointer into the value. */
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
}

/** Says what is wrong with a value; nothing when it is valid. */
export type Validate = (value: JsonValue) => readonly ValidationFailure[];

const oldDraft = /draft-0[3-7]/;
const olderDraft = /draft-0[34]/;
// Published as CommonJS, whose default export arrives wrapped or not, by the loader.
const addFormats = 'default' in addFormatsModule ? addFormatsModule.default : addFormatsModule;

/** How a schema is to be read; as a chat reads it by default. */
export interface ValidationOptions {
  /** Other documents that references may name, by URI. */
  readonly documents?: ReadonlyMap<string, JsonSchema>;
  /** Whether `format` restricts strings (default) or is a mere annotation. */
  readonly formats?: 'assert' | 'ignore';
}

/**
 * A validator of `schema`, plain or of a validation library. Throws `SchemaError` when it is not a schema, its
 * library cannot give it as JSON, or Ajv cannot compile it. So does the validator where Ajv's own code fails on a
 * value, which unevaluated properties next to patterns can bring about.
 */
export function compileValidator(schema: SchemaInput, tool = '', options: ValidationOptions = {}): Validate {
  const plain = plainSchema(toJsonSchema(schema), tool);
  const validate = attempt(tool, () => compileWithAjv(plain, options));
  return (value) => attempt(tool, () => (validate(value) ? [] : (validate.errors ?? []).map(failure)));
}

/** Validators of the sub-schemas of one schema. */
export interface PartValidators {
  /** The schema in the words that the validators go by; pointers lead into it. */
  readonly schema: JsonSchema;
  /** The validator of the sub-schema at a JSON pointer; that of the whole schema where there is none. */
  at(pointer: string): Validate;
}

/** Validators of `schema` and its parts, as `compileValidator` makes them. Throws what it throws. */
export function compilePartValidators(schema: JsonSchema, tool = ''): PartValidators {
  const plain = plainSchema(schema, tool);
  const { ajv, translated } = attempt(tool, () => {
    const prepared = prepareAjv(plain, {});
    prepared.ajv.addSchema(isObject(prepared.translated) ? prepared.translated : {}, partsKey);
    return prepared;
  });
  const known = new Map<string, Validate>();
  const make = (pointer: string): Validate => {
    const fragment = pointer === '' ? '' : `#${encodeURI(pointer)}`;
    const validate = attempt(tool, () => ajv.getSchema(partsKey + fragment)) as ValidateFunction | undefined;
    if (validate === undefined) return pointer === '' ? compileValidator(plain, tool) : at('');
    return (value) => attempt(tool, () => (validate(value) ? [] : (validate.errors ?? []).map(failure)));
  };
  const at = (pointer: string): Validate => {
    const validate = known.get(pointer) ?? make(pointer);
    known.set(pointer, validate);
    return validate;
  };
  return { schema: translated, at };
}

/** The name of the schema whose parts are looked up. */
const partsKey = 'idiolect:checked';

function compileWithAjv(schema: JsonSchema, options: ValidationOptions): ValidateFunction {
  const { ajv, translated } = prepareAjv(schema, options);
  return ajv.compile(translated);
}

/** An Ajv for the draft of `schema`, and the schema in its words. */
function prepareAjv(
  schema: JsonSchema,
  options: ValidationOptions,
): { readonly ajv: Ajv | Ajv2020; readonly translated: JsonSchema } {
  const { documents = new Map(), formats = 'assert' } = options;
  if (isTooLarge(schema)) throw new RangeError(tooLarge);
  const isNamed = [schema, ...documents.values()].some(hasNamedParts);
  const dialect = isObject(schema) ? String(schema.$schema) : '';
  const isOld = oldDraft.test(dialect);
  const evaluated = [schema, ...documents.values()].some(asksForEvaluated);
  const reading = {
    listedItems: isOld,
    asksForEvaluated: evaluated,
    refAlone: isOld,
    plainId: olderDraft.test(dialect),
  };
  const ajv = reading.listedItems ? new Ajv(ajvOptions) : new Ajv2020(ajvOptions);
  // Where nobody asks what was evaluated, it is not tracked: that would cost the square of the branches.
  ajv.opts.unevaluated = evaluated;
  if (formats === 'assert') addOwnFormats(ajv);
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({ keyword: 'multipleOf', type: 'number', compile: multipleTest });
  for (const [uri, document] of isNamed ? [] : documents) {
    if (ajv.getSchema(uri) === undefined) ajv.addSchema(asAjvSchema(document, reading), uri);
  }
  const plain = isNamed ? withLocalReferences(schema, documents) : withoutDialect(schema);
  return { ajv, translated: forAjv(plain, reading) };
}

function asksForEvaluated(schema: JsonSchema): boolean {
  return /"unevaluated(?:Items|Properties)"/.test(JSON.stringify(schema));
}

/** Ajv takes `true` and `false` for schemas, but not when they are added. */
function asAjvSchema(document: JsonSchema, reading: AjvReading): AnySchemaObject {
  const schema = forAjv(withoutDialect(document), reading);
  if (typeof schema !== 'boolean') return schema;
  return schema ? {} : { not: {} };
}

function addOwnFormats(ajv: Ajv | Ajv2020): void {
  addFormats(ajv);
  for (const name of Object.keys(ajv.formats)) {
    const pattern = formatPattern(name);
    if (pattern !== null && pattern !== 'unsupported') ajv.addFormat(name, patternTest(pattern));
  }
}

const ajvOptions = {
  strict: false,
  allErrors: true,
  logger: false,
  validateSchema: false,
  // Of `constructor` and its like, only those that the arguments hold themselves.
  ownProperties: true,
  code: { regExp: Object.assign(ownRegExp, { code: 'ownRegExp' }) },
} as const;

/** A pattern for Ajv, which knows patterns apart by how they print. */
function ownRegExp(pattern: string): { readonly test: TextTest; toString(): string } {
  return { test: patternTest(pattern), toString: () => pattern };
}

/** 19.99 is a multiple of 0.01. */
function multipleTest(divisor: number): (value: number) => boolean {
  if (!(divisor > 0)) return () => true;
  const unit = decimalOf(divisor);
  return (value) => isMultiple(decimalOf(value), unit);
}

function attempt<T>(tool: string, run: () => T): T {
  try {
    return run();
  } catch (error) {
    const reason = `Ajv cannot check it: ${error instanceof Error ? error.message : String(error)}`;
    throw new SchemaError([{ tool, pointer: '', keyword: 'schema', effect: 'widened', reason }]);
  }
}

/** Ajv insists on knowing the meta-schema that `$schema` names; which one applies is decided here. */
function withoutDialect(schema: JsonSchema): JsonSchema {
  if (!isObject(schema)) return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
}

function failure({ instancePath, keyword, message }: ErrorObject): ValidationFailure {
  return { pointer: instancePath, keyword, message: message ?? keyword };
}
