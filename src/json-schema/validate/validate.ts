/**
 * Validates after a call what a grammar does not enforce, with Ajv, compiled once per schema. Where Ajv would decide
 * differently from the grammar, the grammar's own implementation is used: patterns, formats, decimals, own
 * properties.
 */
import { Ajv, type AnySchemaObject, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { SchemaError } from '../../format/errors.ts';
import type { JsonSchema, JsonValue } from '../../format/messages.ts';
import { plainSchema } from '../../tools/plain-schema.ts';
import { type SchemaInput, toJsonSchema } from '../../tools/standard-schema.ts';
import { decimalOf, isMultiple } from '../document/decimal.ts';
import { formatPattern, type IntegerRange, integerFormats } from '../document/formats.ts';
import { isObject } from '../document/schema-document.ts';
import { type AjvReading, forAjv } from './ajv-schema.ts';
import { hasNamedParts, withLocalReferences } from './local-references.ts';
import { patternTest, type TextTest } from './pattern-test.ts';
import { isTooLarge, tooLarge } from './schema-size.ts';
import { areDistinct } from './unique-items.ts';

/** One reason why a value is invalid. */
export interface ValidationFailure {
  /** JSON pointer into the value. */
  readonly pointer: string;
  readonly keyword: string;
  readonly message: string;
}

/** A failure in one line: where, and what is expected there. */
export function describeFailure({ pointer, message }: ValidationFailure): string {
  return `${pointer === '' ? '(root)' : pointer} ${message}`;
}

/** Returns the problems of a value; empty if it is valid. */
export type Validate = (value: JsonValue) => readonly ValidationFailure[];

const oldDraft = /draft-0[3-7]/;
const olderDraft = /draft-0[34]/;
// Published as CommonJS: depending on the loader, the default export is wrapped or not.
const addFormats = 'default' in addFormatsModule ? addFormatsModule.default : addFormatsModule;

/** How to read a schema; the defaults are those of a chat. */
export interface ValidationOptions {
  /** Other documents that references may use, by URI. */
  readonly documents?: ReadonlyMap<string, JsonSchema>;
  /** Whether `format` restricts strings (default) or is only an annotation. */
  readonly formats?: 'assert' | 'ignore';
}

/**
 * Compiles a validator for `schema`, given as JSON Schema or as a library's object. Throws `SchemaError` if it is not
 * a schema, its library cannot export it as JSON, or Ajv cannot compile it. The validator also throws it if Ajv's
 * generated code fails on a value, which unevaluated properties next to patterns can cause.
 */
export function compileValidator(schema: SchemaInput, tool = '', options: ValidationOptions = {}): Validate {
  const plain = plainSchema(toJsonSchema(schema), tool);
  const validate = attempt(tool, () => compileWithAjv(plain, options));
  return (value) => attempt(tool, () => (validate(value) ? [] : (validate.errors ?? []).map(failure)));
}

/** Validators for the sub-schemas of one schema. */
export interface PartValidators {
  /** The schema as rewritten for the validators; pointers lead into it. */
  readonly schema: JsonSchema;
  /** The validator for the sub-schema at a JSON pointer; for the whole schema if there is none. */
  at(pointer: string): Validate;
}

/** Compiles validators for `schema` and its parts, like `compileValidator`. Throws what that throws. */
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

/** Key of the schema whose parts are looked up. */
const partsKey = 'idiolect:checked';

function compileWithAjv(schema: JsonSchema, options: ValidationOptions): ValidateFunction {
  const { ajv, translated } = prepareAjv(schema, options);
  return ajv.compile(translated);
}

/** An Ajv for the draft of `schema`, and the schema rewritten for it. */
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
  // Track evaluation only if some keyword depends on it: it is quadratic in the number of branches.
  ajv.opts.unevaluated = evaluated;
  if (formats === 'assert') addOwnFormats(ajv);
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({ keyword: 'multipleOf', type: 'number', compile: multipleTest });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    compile: (asked) => (asked === true ? areDistinct : () => true),
    error: { message: 'must NOT have duplicate items' },
  });
  for (const [uri, document] of isNamed ? [] : documents) {
    if (ajv.getSchema(uri) === undefined) ajv.addSchema(asAjvSchema(document, reading), uri);
  }
  const plain = isNamed ? withLocalReferences(schema, documents) : withoutDialect(schema);
  return { ajv, translated: forAjv(plain, reading) };
}

function asksForEvaluated(schema: JsonSchema): boolean {
  return /"unevaluated(?:Items|Properties)"/.test(JSON.stringify(schema));
}

/** Ajv accepts `true` and `false` as schemas, but not in `addSchema`. */
function asAjvSchema(document: JsonSchema, reading: AjvReading): AnySchemaObject {
  const schema = forAjv(withoutDialect(document), reading);
  if (typeof schema !== 'boolean') return schema;
  return schema ? {} : { not: {} };
}

function addOwnFormats(ajv: Ajv | Ajv2020): void {
  addFormats(ajv);
  for (const name of Object.keys(ajv.formats)) {
    const pattern = formatPattern(name);
    if (pattern === null) ajv.addFormat(name, true);
    else if (pattern !== 'unsupported') ajv.addFormat(name, formatTest(pattern));
  }
  for (const [name, range] of integerFormats)
    ajv.addFormat(name, { type: 'number', validate: integerTest(range) });
}

/** Whether a number is an integer of a range, of which a double holds the ends only about. */
function integerTest({ least, most }: IntegerRange): (value: number) => boolean {
  return (value) => Number.isInteger(value) && value >= Number(least) && value <= Number(most);
}

/** The tests of the formats so far, by pattern: their automata are large, and few schemas use more than one. */
const formatTests = new Map<string, TextTest>();

function formatTest(pattern: string): TextTest {
  return (text) => {
    const test = formatTests.get(pattern) ?? patternTest(pattern);
    formatTests.set(pattern, test);
    return test(text);
  };
}

const ajvOptions = {
  strict: false,
  allErrors: true,
  logger: false,
  validateSchema: false,
  // Inherited names such as `constructor` count only if the arguments contain them.
  ownProperties: true,
  code: { regExp: Object.assign(ownRegExp, { code: 'ownRegExp' }) },
} as const;

/** A pattern for Ajv, which identifies patterns by their string form. */
function ownRegExp(pattern: string): { readonly test: TextTest; toString(): string } {
  return { test: patternTest(pattern), toString: () => pattern };
}

/** Exact: 19.99 is a multiple of 0.01. */
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

/** Ajv requires the meta-schema that `$schema` names; the dialect is already decided here. */
function withoutDialect(schema: JsonSchema): JsonSchema {
  if (!isObject(schema)) return schema;
  const { $schema: _, ...rest } = schema;
  return rest;
}

function failure({ instancePath, keyword, message }: ErrorObject): ValidationFailure {
  return { pointer: instancePath, keyword, message: message ?? keyword };
}
