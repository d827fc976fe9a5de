/** Validation after a call, for what a grammar does not enforce: Ajv, compiled once per schema. */
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormatsModule from 'ajv-formats';
import { SchemaError } from '../../../format/errors.ts';
import type { JsonSchema, JsonValue } from '../../../format/messages.ts';
import { type SchemaInput, toJsonSchema } from '../../../tools/standard-schema.ts';
import { isObject } from '../document/schema-document.ts';
import { forAjv } from './ajv-schema.ts';

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
  const options = { strict: false, allErrors: true, logger: false, validateSchema: false } as const;
  const listedItems = oldDraft.test(dialect);
  const ajv = listedItems ? new Ajv(options) : new Ajv2020(options);
  addFormats(ajv);
  return ajv.compile(forAjv(withoutDialect(schema), { listedItems, plainId: olderDraft.test(dialect) }));
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
