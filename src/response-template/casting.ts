/** Casts the arguments of calls to the types in the tools' schemas. */
import { isObject, parseJson } from '../format/json-values.ts';
import type { JsonValue } from '../format/messages.ts';
import { isLibrarySchema } from '../tools/library-schema.ts';
import { readFloat, readInteger, stripSpace } from './python-values.ts';
import { objectFrom } from './transform.ts';

/** JSON Schema type names that arguments are cast to, by tool and argument. */
export type ArgumentTypes = ReadonlyMap<string, ReadonlyMap<string, readonly string[]>>;

const maxDepth = 50;

/** The types that a schema allows, in its order; empty if it names none. */
export function schemaTypes(schema: unknown, depth = 0): readonly string[] {
  if (!isObject(schema) || depth > maxDepth) return [];
  const { type } = schema;
  const named = Array.isArray(type) ? type.filter((each) => typeof each === 'string') : [];
  const types = typeof type === 'string' ? [type] : named;
  for (const key of ['anyOf', 'oneOf']) {
    const branches = schema[key];
    if (Array.isArray(branches)) types.push(...branches.flatMap((branch) => schemaTypes(branch, depth + 1)));
  }
  if (schema.nullable) types.push('null');
  return [...new Set(types)];
}

/** The argument types of `tools`. */
export function argumentTypes(tools: readonly unknown[]): ArgumentTypes {
  const byTool = new Map<string, ReadonlyMap<string, readonly string[]>>();
  for (const tool of tools) {
    const definition = toolDefinition(tool);
    if (definition === null || !isObject(definition.schema)) continue;
    const { properties } = definition.schema;
    if (!isObject(properties)) continue;
    const types = Object.entries(properties).map(([name, schema]) => [name, schemaTypes(schema)] as const);
    byTool.set(definition.name, new Map(types));
  }
  return byTool;
}

/**
 * Name and schema of a tool in OpenAI's shape, its bare function, or MCP's shape; `null` without a name, or if the
 * schema is not plain JSON.
 */
export function toolDefinition(tool: unknown): { readonly name: string; readonly schema: unknown } | null {
  const definition = isObject(tool) && isObject(tool.function) ? tool.function : tool;
  if (!isObject(definition) || typeof definition.name !== 'string') return null;
  const schema: unknown = definition.parameters ?? definition.inputSchema;
  return typeof schema === 'function' || isLibrarySchema(schema) ? null : { name: definition.name, schema };
}

/** `raw` as the first of `types` that can parse it; unchanged if none can. */
export function castText(raw: string, types: readonly string[]): JsonValue {
  for (const type of types) {
    const value = castAs(raw, type);
    if (value !== undefined) return value;
  }
  return raw;
}

function castAs(raw: string, type: string): JsonValue | undefined {
  const text = stripSpace(raw);
  switch (type) {
    case 'integer':
      return readInteger(text) ?? wholeFloat(text);
    case 'number': {
      const value = readFloat(text);
      return value !== undefined && Number.isFinite(value) ? value + 0 : undefined;
    }
    case 'boolean': {
      const word = text.toLowerCase();
      return word === 'true' || word === '1' ? true : word === 'false' || word === '0' ? false : undefined;
    }
    case 'null':
      return text === 'null' || text === 'None' ? null : undefined;
    case 'array':
    case 'object':
      return castContainer(text, type);
    default:
      return undefined;
  }
}

/** The integer of a whole number written as a float, `3.0`, as transformers reads it since 5.23. */
function wholeFloat(text: string): number | undefined {
  const value = readFloat(text);
  return Number.isInteger(value) && value !== undefined ? value + 0 : undefined;
}

function castContainer(text: string, type: 'array' | 'object'): JsonValue | undefined {
  const value = parseJson(text);
  return (type === 'array' ? Array.isArray(value) : isObject(value)) ? value : undefined;
}

/**
 * `value` with the arguments of its calls cast: a call in OpenAI's shape, or arrays of them. Only strings are cast,
 * and only if the tool declares a type; anything else is unchanged.
 */
export function castToolCalls(value: JsonValue, types: ArgumentTypes, depth = 0): JsonValue {
  if (depth > maxDepth) return value;
  if (Array.isArray(value)) return value.map((item: JsonValue) => castToolCalls(item, types, depth + 1));
  if (!isObject(value) || !isObject(value.function)) return value;
  const { name, arguments: given } = value.function;
  const declared = typeof name === 'string' ? types.get(name) : undefined;
  if (declared === undefined || !isObject(given)) return value;
  const cast = Object.entries(given).map(
    ([key, argument]) => [key, castArgument(argument, declared.get(key) ?? [])] as const,
  );
  const call = objectFrom([...Object.entries(value.function), ['arguments', objectFrom(cast)]]);
  return objectFrom([...Object.entries(value), ['function', call]]);
}

function castArgument(argument: JsonValue, types: readonly string[]): JsonValue {
  if (typeof argument === 'string') return castText(argument, types);
  if (!Array.isArray(argument) || types.includes('array')) return argument;
  return argument.map((item: JsonValue) => (typeof item === 'string' ? castText(item, types) : item));
}
