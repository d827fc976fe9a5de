/** What the requests of all APIs have in common, and the handling of fields that an API does not read. */
import { invalid } from '../errors.ts';
import type { Body } from '../read-body.ts';
import { checkFields, type FieldRule, type FieldTable, flagRule, listOf, textRule } from './field-table.ts';
import { flag, textField } from './request-fields.ts';

/** Fields of OpenAI's APIs that concern accounts, storage and caches. */
export const accountFields = [
  'user',
  'metadata',
  'service_tier',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
] as const;

/** A feature that does not exist here: it must be absent, or have a value that requests nothing. */
export interface Absent {
  readonly name: string;
  readonly reason: string;
  /** The code for programs. Default: `unsupported_parameter`. */
  readonly reasonCode?: string;
  /** The values that request nothing, and are accepted. Default: none. */
  readonly nothing?: FieldRule;
}

/** A list without anything in it. */
export const emptyList = listOf(textRule, 'an empty list', 0);

/** What every request may say. */
export const headFields = { model: textRule, stream: flagRule } as const satisfies FieldTable;

/** The fields of an API, by how they are handled. */
export interface KnownFields {
  readonly readFields: FieldTable;
  readonly fieldsWithoutEffect: readonly string[];
  readonly refusedFields: readonly Absent[];
}

/** The fields of every request other than the chat. */
export interface RequestHead {
  /** The model's name; `null` for the first. */
  readonly model: string | null;
  readonly stream: boolean;
  /** What has no effect, or reaches the model in other words: names of fields, and places in messages. */
  readonly ignored: readonly string[];
}

/** Reads them. Throws `RequestError` for a feature that does not exist, and for a field that its table does not allow. */
export function readHead(body: Body, known: KnownFields): RequestHead {
  refuseFeatures(body, known.refusedFields);
  checkFields(body, known.readFields);
  return {
    model: textField(body, 'model') ?? null,
    stream: flag(body, 'stream'),
    ignored: unknownFields(body, namesOf(known)),
  };
}

/** Throws for the first requested feature that does not exist. */
function refuseFeatures(body: Body, features: readonly Absent[]): void {
  for (const { name, reason, reasonCode = 'unsupported_parameter', nothing } of features) {
    const value = body[name] ?? undefined;
    if (value === undefined || nothing?.allows(value) === true) continue;
    throw invalid(name, `${name}: ${reason}`, reasonCode);
  }
}

/** The names of all fields that an API knows. */
export function namesOf({ readFields, fieldsWithoutEffect, refusedFields }: KnownFields): readonly string[] {
  return [...Object.keys(readFields), ...fieldsWithoutEffect, ...refusedFields.map(({ name }) => name)];
}

function unknownFields(body: Body, known: readonly string[]): readonly string[] {
  const names = new Set(known);
  return Object.keys(body).filter((name) => !names.has(name));
}
