/** Schemas of validation libraries (zod, valibot, arktype) by way of Standard JSON Schema. */

import { SchemaError } from '../format/errors.ts';
import { isSchema } from '../format/json-values.ts';
import type { JsonSchema } from '../format/messages.ts';
import { canBeSchema, isEffectSchema, isLibrarySchema } from './library-schema.ts';

/** The interface of libraries that implement Standard JSON Schema. */
export interface StandardJsonSchema {
  readonly '~standard': {
    readonly vendor: string;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: string }) => Readonly<Record<string, unknown>>;
    };
  };
}

/** A plain JSON Schema, or an object of a library that can generate one. */
export type SchemaInput = JsonSchema | StandardJsonSchema;

/** `input` as plain JSON Schema of draft 2020-12. Throws `SchemaError` if a library cannot express it. */
export function toJsonSchema(input: SchemaInput): JsonSchema {
  if (!isStandard(input)) {
    const vendor = vendorOf(input);
    if (vendor !== null) throw refusal(withoutJsonSchema(vendor));
    if (isEffectSchema(input)) throw refusal(withoutJsonSchema('effect'));
    if (canBeSchema(input)) return input;
    throw refusal(
      `${typeof input} is not JSON Schema: a schema is an object or a boolean; of a library's schema, give the JSON Schema that the library makes of it`,
    );
  }
  const { vendor, jsonSchema } = input['~standard'];
  let converted: unknown;
  try {
    // The result may contain functions or undefined; JSON keeps what can be a schema.
    converted = JSON.parse(JSON.stringify(jsonSchema.input({ target: 'draft-2020-12' })));
  } catch (error) {
    throw refusal(
      `${vendor} cannot convert it to JSON Schema: ${error instanceof Error ? error.message : error}`,
    );
  }
  if (!isSchema(converted)) throw refusal(`${vendor} returned something that is not JSON Schema`);
  return converted;
}

function isStandard(input: SchemaInput): input is StandardJsonSchema {
  return 'jsonSchema' in standardOf(input);
}

/** The Standard Schema properties of a library's schema; an empty object for any other value. */
function standardOf(input: unknown): object {
  if (!isLibrarySchema(input)) return {};
  const standard: unknown = Reflect.get(Object(input), '~standard');
  return typeof standard === 'object' && standard !== null ? standard : {};
}

/** The library of a schema that can validate values but cannot express itself as JSON Schema. */
function vendorOf(input: unknown): string | null {
  const standard = standardOf(input);
  if (!('validate' in standard)) return null;
  return 'vendor' in standard && typeof standard.vendor === 'string' ? standard.vendor : 'its library';
}

/** What to give of libraries whose schemas do not convert themselves. */
const wrappers: ReadonlyMap<string, string> = new Map([
  ['valibot', 'wrap it in toStandardJsonSchema of @valibot/to-json-schema'],
  [
    'effect',
    'wrap it in Schema.toStandardSchemaV1 and Schema.toStandardJSONSchemaV1 or, before effect 4, give what JSONSchema.make makes of it',
  ],
]);

/** Advice for a schema of `vendor`. */
function withoutJsonSchema(vendor: string): string {
  const wrapper =
    wrappers.get(vendor) ??
    `use a version of ${vendor} that implements Standard JSON Schema, or give the JSON Schema itself`;
  return `a schema of ${vendor} does not convert itself to JSON Schema: ${wrapper}`;
}

function refusal(reason: string): SchemaError {
  return new SchemaError([{ tool: '', pointer: '', keyword: 'schema', effect: 'narrowed', reason }]);
}
