/** What the requests of all APIs have in common, and the handling of fields that an API does not read. */
import { isRecord } from '../../format/option-rules.ts';
import { invalid } from '../errors.ts';
import type { Body } from '../read-body.ts';
import { checkFields, type FieldTable, flagRule, listOf, textRule } from './field-table.ts';
import { type Absent, type KnownFields, namesOf } from './known-fields.ts';
import { flag, objectField, textField } from './request-fields.ts';

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

/** A list without anything in it. */
export const emptyList = listOf(textRule, 'an empty list', 0);

/** What clients in Python merge into a request is sent as it is by others: nothing in it would be heard. */
export const unmerged: Absent = {
  name: 'extra_body',
  reason: 'it is an option of a client; put its fields into the request itself',
  nothing: {
    expected: 'an empty object',
    allows: (value) => isRecord(value) && Object.keys(value).length === 0,
    schema: { type: 'object', maxProperties: 0 },
  },
};

/** What every request may say. */
export const headFields = { model: textRule, stream: flagRule } as const satisfies FieldTable;

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

/** Whether the last chunk of a stream has the usage. Throws `RequestError` without a stream. */
export function readIncludeUsage(body: Body): boolean {
  const options = objectField(body, 'stream_options');
  if (options !== undefined && !flag(body, 'stream'))
    throw invalid('stream_options', 'stream_options requires stream: true');
  return options !== undefined && flag(options, 'include_usage');
}

/** Throws for the first requested feature that does not exist. */
function refuseFeatures(body: Body, features: readonly Absent[]): void {
  for (const { name, reason, reasonCode = 'unsupported_parameter', nothing } of features) {
    const value = body[name] ?? undefined;
    if (value === undefined || nothing?.allows(value) === true) continue;
    throw invalid(name, `${name}: ${reason}`, reasonCode);
  }
}

function unknownFields(body: Body, known: readonly string[]): readonly string[] {
  const names = new Set(known);
  return Object.keys(body).filter((name) => !names.has(name));
}
