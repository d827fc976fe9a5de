/** What an API makes of the fields of its requests. */
import type { FieldRule, FieldTable } from './field-table.ts';

/** A feature that does not exist here: it must be absent, or have a value that requests nothing. */
export interface Absent {
  readonly name: string;
  readonly reason: string;
  /** The code for programs. Default: `unsupported_parameter`. */
  readonly reasonCode?: string;
  /** The values that request nothing, and are accepted. Default: none. */
  readonly nothing?: FieldRule;
}

/** The fields of an API, by how they are handled. */
export interface KnownFields {
  readonly readFields: FieldTable;
  readonly fieldsWithoutEffect: readonly string[];
  readonly refusedFields: readonly Absent[];
}

/** The names of all fields that an API knows. */
export function namesOf({ readFields, fieldsWithoutEffect, refusedFields }: KnownFields): readonly string[] {
  return [...Object.keys(readFields), ...fieldsWithoutEffect, ...refusedFields.map(({ name }) => name)];
}
