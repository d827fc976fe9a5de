/** `/openapi.json`: the server's addresses and fields, made from the tables that its requests are read with. */
import { toolVersion } from '../../format/version.ts';
import { type FieldTable, orNull, schemasOf } from '../fields/field-table.ts';
import type { KnownFields } from '../fields/known-fields.ts';
import { anyErrorBody } from './answer-schemas.ts';
import { type Operation, operations } from './operations.ts';

/** An API, and the fields of its requests. */
export interface ToldApi {
  readonly path: string;
  readonly fields: KnownFields;
}

/** The document, for a server with these APIs. */
export function openApiDocument(apis: readonly ToldApi[]): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const known = apis.find(({ path }) => path === operation.api);
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method]: describe(operation, known?.fields),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Idiolect',
      version: toolVersion,
      description: 'Models over HTTP, with calls and answers that fit their schemas.',
    },
    paths,
    components: {
      schemas: { Error: anyErrorBody },
      securitySchemes: { key: { type: 'http', scheme: 'bearer' } },
    },
    // A server without keys needs none.
    security: [{}, { key: [] }],
  };
}

function describe(operation: Operation, known: KnownFields | undefined): object {
  const { path, summary, answer, required = [], streams = false, type = 'application/json' } = operation;
  const body = known === undefined ? bodyOf(operation.fields) : requestSchema(known);
  return {
    summary,
    operationId: operationIdOf(operation),
    ...(path.includes('{name}')
      ? { parameters: [{ name: 'name', in: 'path', required: true, schema: { type: 'string' } }] }
      : {}),
    ...(body === null
      ? {}
      : {
          requestBody: {
            required: true,
            content: { 'application/json': { schema: { ...body, required } } },
          },
        }),
    responses: {
      200: {
        description: 'The answer.',
        content: { [type]: { schema: answer }, ...(streams ? streamed : {}) },
      },
      default: {
        description: 'Why there is none, and what to do.',
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
      },
    },
  };
}

const streamed = {
  'text/event-stream': { schema: { type: 'string' } },
  'application/x-ndjson': { schema: { type: 'string' } },
};

function operationIdOf({ method, path }: Operation): string {
  const words = path.split(/[^a-z0-9]+/i).filter((word) => word !== '');
  return [method, ...words].join('_');
}

function bodyOf(fields: FieldTable | undefined): object | null {
  return fields === undefined ? null : { type: 'object', properties: schemasOf(fields) };
}

/** The schema of requests: what is read, what has no effect, and the values of refused fields that request nothing. */
function requestSchema({ readFields, fieldsWithoutEffect, refusedFields }: KnownFields): object {
  const idle = fieldsWithoutEffect.map((name) => [name, { description: 'Accepted, without effect.' }]);
  const refused = refusedFields.map(({ name, reason, nothing }) => {
    const accepted = nothing === undefined ? { type: 'null' } : orNull(nothing.schema);
    return [name, { ...accepted, description: `Not supported: ${reason}.` }];
  });
  return {
    type: 'object',
    properties: {
      ...Object.fromEntries([...idle, ...refused]),
      ...schemasOf(readFields),
    },
  };
}
