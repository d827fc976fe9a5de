/** Reads the fields of a request, which may contain anything. */
import { isRecord } from '../../format/option-rules.ts';
import type { ResponseFormat } from '../../grammar/grammar-options.ts';
import { invalid } from '../errors.ts';
import type { Body } from '../read-body.ts';

/** The value of a required field. Throws `RequestError` if there is none. */
export function requiredField(body: Body, name: string): unknown {
  const value = body[name] ?? undefined;
  if (value === undefined) throw invalid(name, `${name} is missing`, 'missing_required_parameter');
  return value;
}

/** A string field. */
export function textField(body: Body, name: string): string | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || typeof value === 'string') return value;
  throw invalid(name, `${name} must be a string`);
}

/** A number field, of a table that was checked. */
export function numberField(body: Body, name: string): number | undefined {
  const value = body[name];
  return typeof value === 'number' ? value : undefined;
}

/** A boolean field; absent means false. */
export function flag(body: Body, name: string): boolean {
  const value = body[name] ?? false;
  if (typeof value === 'boolean') return value;
  throw invalid(name, `${name} must be true or false`);
}

/** An object field. */
export function objectField(body: Body, name: string): Body | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined || isRecord(value)) return value;
  throw invalid(name, `${name} must be an object`);
}

/** A field that is an array of objects. */
export function objectList(body: Body, name: string): readonly Body[] | undefined {
  const value = body[name] ?? undefined;
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) throw invalid(name, `${name} must be an array`);
  return value.map((item: unknown, index) => {
    if (isRecord(item)) return item;
    throw invalid(`${name}[${index}]`, `${name}[${index}] must be an object`);
  });
}

/** The response format for the schema at `path`. Throws `RequestError` if there is none. */
export function schemaFormat(schema: unknown, path: string): ResponseFormat {
  if (typeof schema === 'boolean' || isRecord(schema))
    return { type: 'json_schema', json_schema: { schema: schema as never } };
  throw invalid(path, `${path} must be a JSON Schema`);
}
