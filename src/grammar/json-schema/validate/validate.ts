/**
 * Validation after a call, for what a grammar does not enforce: Ajv, compiled once per schema. What it would judge
 * otherwise than the grammar is judged by the grammar's own means: patterns, formats, decimals, own properties.
 */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { SchemaError } from '../../../format/errors.ts';
import type { JsonSchema, JsonValue } from '../../../format/messages.ts';
import { type SchemaInput, toJsonSchema } from '../../../tools/standard-schema.ts';
import { decimalOf, isMultiple } from '../document/decimal.ts';
import { formatPattern } from '../document/formats.ts';
import { isObject } from '../document/schema-document.ts';
import { forAjv } from './ajv-schema.ts';
import { patternTest, type TextTest } from './pattern-test.ts';

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

/**
 * A validator of `schema`, plain or of a validation library. Throws `SchemaError` when it is not a schema, its
 * library cannot give it as JSON, or Ajv cannot compile it. So does the validator where Ajv's own code fails on a
 * value, which unevaluated properties next to patterns can bring about.
 */
export function compileValidator(schema: SchemaInput, tool = ''): Validate {
  const plain = toJsonSchema(schema);
  const validate = attempt(tool, () => compileWithAjv(plain));
  return (value) => attempt(tool, () => (validate(value) ? [] : (validate.errors ?? []).map(failure)));
}

function compileWithAjv(schema: JsonSchema): ValidateFunction {
  const dialect = isObject(schema) ? String(schema.$schema) : '';
  const listedItems = oldDraft.test(dialect);
  const ajv = listedItems ? new Ajv(options) : new Ajv2020(options);
  addFormats(ajv);
  for (const name of Object.keys(ajv.formats)) {
    const pattern = formatPattern(name);
    if (pattern !== null && pattern !== 'unsupported') ajv.addFormat(name, patternTest(pattern));
  }
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({ keyword: 'multipleOf', type: 'number', compile: multipleTest });
  return ajv.compile(forAjv(withoutDialect(schema), { listedItems, plainId: olderDraft.test(dialect) }));
}

const options = {
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
