/** What the requests of all APIs have in common, and the handling of fields that an API does not read. */
import type { ReadRequest } from '../endpoint.ts';
import { invalid } from '../errors.ts';
import type { Body } from '../read-body.ts';
import { flag, textField } from './request-fields.ts';
import { samplingFields } from './sampling-fields.ts';

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
  /** Whether the value requests nothing. Default: no value does. */
  readonly isNothing?: (value: unknown) => boolean;
}

/** The fields of an API, by how they are handled. */
export interface KnownFields {
  readonly readFields: readonly string[];
  readonly fieldsWithoutEffect: readonly string[];
  readonly refusedFields: readonly Absent[];
}

/** The fields of every request other than the chat. */
export type RequestHead = Pick<ReadRequest, 'model' | 'stream' | 'ignored'>;

/** Reads them. Throws `RequestError` for a feature that does not exist. */
export function readHead(body: Body, known: KnownFields): RequestHead {
  refuseFeatures(body, known.refusedFields);
  const refused = known.refusedFields.map(({ name }) => name);
  const names = [known.readFields, samplingFields, known.fieldsWithoutEffect, refused];
  return {
    model: textField(body, 'model') ?? null,
    stream: flag(body, 'stream'),
    ignored: unknownFields(body, ...names),
  };
}

/** Throws for the first requested feature that does not exist. */
function refuseFeatures(body: Body, features: readonly Absent[]): void {
  for (const { name, reason, reasonCode = 'unsupported_parameter', isNothing } of features) {
    const value = body[name] ?? undefined;
    if (value === undefined || isNothing?.(value) === true) continue;
    throw invalid(name, `${name}: ${reason}`, reasonCode);
  }
}

/** The names of fields that are in neither list. */
function unknownFields(body: Body, ...known: readonly (readonly string[])[]): readonly string[] {
  const names = new Set(known.flat());
  return Object.keys(body).filter((name) => !names.has(name));
}
