/** What the requests of all APIs say alike, and what becomes of fields that an API does not read. */
import type { ReadRequest } from './endpoint.ts';
import { invalid } from './errors.ts';
import type { Body } from './read-body.ts';
import { flag, textField } from './request-fields.ts';
import { samplingFields } from './sampling-fields.ts';

/** A feature that the engine does not give: it must be absent, or have a value that asks for nothing. */
export interface Absent {
  readonly name: string;
  readonly reason: string;
  /** What programs are told. Default: `unsupported_parameter`. */
  readonly reasonCode?: string;
  /** Whether the value asks for nothing. */
  readonly isNothing: (value: unknown) => boolean;
}

/** The fields of an API, by what becomes of them. */
export interface KnownFields {
  readonly readFields: readonly string[];
  readonly fieldsWithoutEffect: readonly string[];
  readonly refusedFields: readonly Absent[];
}

/** What every request says next to the chat. Throws `RequestError` for a feature that there is none of. */
export function readHead(body: Body, known: KnownFields): Omit<ReadRequest, 'chat'> {
  refuseFeatures(body, known.refusedFields);
  const refused = known.refusedFields.map(({ name }) => name);
  const names = [known.readFields, samplingFields, known.fieldsWithoutEffect, refused];
  return {
    model: textField(body, 'model') ?? null,
    stream: flag(body, 'stream'),
    unknown: unknownFields(body, ...names),
  };
}

/** Throws for the first feature that is asked for and that there is none of. */
function refuseFeatures(body: Body, features: readonly Absent[]): void {
  for (const { name, reason, reasonCode = 'unsupported_parameter', isNothing } of features) {
    const value = body[name] ?? undefined;
    if (value === undefined || isNothing(value)) continue;
    throw invalid(name, `${name}: ${reason}`, reasonCode);
  }
}

/** The names of fields that are in neither list. */
function unknownFields(body: Body, ...known: readonly (readonly string[])[]): readonly string[] {
  const names = new Set(known.flat());
  return Object.keys(body).filter((name) => !names.has(name));
}
