/** Reads lists of tools in all common shapes, and normalises them to one. */
import { SchemaError, ToolListError } from '../format/errors.ts';
import type { JsonSchema, Tool } from '../format/messages.ts';
import { onlyNeighbour } from '../format/option-rules.ts';
import { canBeSchema } from './library-schema.ts';
import { plainSchema } from './plain-schema.ts';
import { type SchemaInput, toJsonSchema } from './standard-schema.ts';

/** Maximum number of tools in a list. */
const maxTools = 10_000;

/** The keys of the arguments' schema in OpenAI's, MCP's and Anthropic's shape. */
const schemaKeys = ['parameters', 'inputSchema', 'input_schema'] as const;
const schemaNames = schemaKeys.slice(0, 2);
/** Keywords of JSON Schema whose value is a schema. */
const subschemaKeywords: ReadonlySet<string> = new Set([
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'not', 'if', 'then', 'else'],
  ...['items', 'additionalItems', 'unevaluatedItems', 'contains', 'contentSchema'],
]);
/** Keys of the schema in other shapes. A tool without its schema would be offered as one without arguments. */
const foreignKeys = ['schema', 'params', 'args', 'arguments', 'input'] as const;

/**
 * Reads an array, or an object with an array `tools`. Tools may have OpenAI's shape, with or without the level
 * `function`, or MCP's (`name`, `description`, `inputSchema`); schemas may be plain JSON Schema, or objects of a
 * library that implements Standard JSON Schema. `source` names the list in errors. Throws `ToolListError`.
 */
export function readToolList(value: unknown, source: string): Tool[] {
  const { list, pointer } = findList(value, source);
  if (list.length === 0) throw new ToolListError({ source, pointer, reason: 'holds no tools' });
  if (list.length > maxTools) {
    throw new ToolListError({ source, pointer, reason: `holds more than ${maxTools} tools` });
  }
  const tools = list.map((item, index) => readTool(item, source, `${pointer}/${index}`));
  refuseDoubles(tools, source, pointer);
  return tools;
}

const noTool = 'a tool must be an object';

function findList(
  value: unknown,
  source: string,
): { readonly list: readonly unknown[]; readonly pointer: string } {
  if (Array.isArray(value)) return { list: value, pointer: '' };
  const inner = fieldsOf(value)?.get('tools');
  if (Array.isArray(inner)) return { list: inner, pointer: '/tools' };
  const reason = 'tools must be an array, or an object with an array of "tools"';
  throw new ToolListError({ source, reason });
}

function readTool(item: unknown, source: string, pointer: string): Tool {
  const outer = fieldsOf(item);
  if (outer === null) throw new ToolListError({ source, pointer, reason: noTool });
  const inner = fieldsOf(outer.get('function'));
  const fields = inner ?? outer;
  const place = inner === null ? pointer : `${pointer}/function`;
  const name = readName(fields, source, place);
  if (executeOf(item) !== null) checkExecute(item, { source, tool: name, pointer });
  const parameters = readSchema(fields, { source, tool: name, pointer: place });
  return {
    type: 'function',
    function: {
      name,
      ...readDescription(fields, { source, tool: name, pointer: place }),
      ...(parameters === null ? {} : { parameters }),
    },
  };
}

/** Throws `ToolListError` unless it is a tool with a name and an `execute`. */
export function requireExecutable(tool: unknown, source: string): void {
  const fields = fieldsOf(tool);
  if (fields === null) throw new ToolListError({ source, reason: noTool });
  const place = { source, tool: readName(fields, source, ''), pointer: '' };
  if (executeOf(tool) === null) {
    const reason = 'execute must be a function; a tool without one needs no defineTool: list it as it is';
    throw new ToolListError({ ...place, pointer: '/execute', reason });
  }
  checkExecute(tool, place);
}

/** A model cannot write half a surrogate pair. */
function readName(fields: Fields, source: string, place: string): string {
  const name = fields.get('name');
  if (typeof name === 'string' && name !== '' && !/\p{Cs}/u.test(name)) return name;
  const reason = 'the name of a tool must be a non-empty string';
  throw new ToolListError({ source, pointer: `${place}/name`, reason });
}

interface ToolLocation {
  readonly source: string;
  readonly tool: string;
  readonly pointer: string;
}

type Fields = ReadonlyMap<string, unknown>;

/** Including a method of a class. */
function executeOf(tool: unknown): unknown {
  return (typeof tool === 'object' && tool !== null && 'execute' in tool ? tool.execute : null) ?? null;
}

function checkExecute(tool: unknown, place: ToolLocation): void {
  if (typeof executeOf(tool) === 'function') return;
  const pointer = `${place.pointer}/execute`;
  throw new ToolListError({ ...place, pointer, reason: 'execute must be a function' });
}

function readDescription(fields: Fields, place: ToolLocation): { readonly description?: string } {
  const description = fields.get('description') ?? null;
  if (description === null) return {};
  if (typeof description === 'string') return { description };
  throw new ToolListError({
    ...place,
    pointer: `${place.pointer}/description`,
    reason: 'the description must be a string',
  });
}

function readSchema(fields: Fields, place: ToolLocation): JsonSchema | null {
  const isGiven = (key: string): boolean => (fields.get(key) ?? null) !== null;
  const key = schemaKeys.find(isGiven);
  if (key === undefined) {
    const misspelt = [...fields.keys()].find((name) => onlyNeighbour(schemaNames, name) !== undefined);
    const foreign = [...foreignKeys, ...(misspelt === undefined ? [] : [misspelt])].find(isGiven);
    if (foreign === undefined) return null;
    const pointer = `${place.pointer}/${foreign}`;
    throw new ToolListError({
      ...place,
      pointer,
      reason: 'put the schema of the arguments into `parameters`',
    });
  }
  const at = { ...place, pointer: `${place.pointer}/${key}` };
  const given = fields.get(key);
  if (!isSchemaInput(given))
    throw new ToolListError({ ...at, reason: 'the parameters must be a JSON Schema' });
  const schema = convert(given, at);
  if (!isPropertiesAlone(schema)) return schema;
  const reason =
    'these are only its properties: a JSON Schema of them is { type: "object", properties: { … } }';
  throw new ToolListError({ ...at, reason });
}

/**
 * Whether the schema has only keys that are no keywords, with types as values. As a schema it would require nothing.
 */
function isPropertiesAlone(schema: JsonSchema): boolean {
  if (typeof schema === 'boolean') return false;
  const entries = Object.entries(schema);
  const isProperty = ([name, value]: readonly [string, unknown]): boolean =>
    !subschemaKeywords.has(name) && typeof fieldsOf(value)?.get('type') === 'string';
  return entries.length > 0 && entries.every(isProperty);
}

/** Converts to JSON, because a module may export objects of classes or of a library. */
function convert(given: SchemaInput, place: ToolLocation): JsonSchema {
  try {
    return plainSchema(toJsonSchema(given), place.tool);
  } catch (cause) {
    if (!(cause instanceof SchemaError)) throw cause;
    const [issue] = cause.issues;
    const pointer = place.pointer + (issue?.pointer ?? '');
    throw new ToolListError({ ...place, pointer, reason: issue?.reason ?? cause.message, cause });
  }
}

/** In some libraries, schemas are functions. */
function isSchemaInput(value: unknown): value is JsonSchema {
  return typeof value === 'function' || canBeSchema(value);
}

function fieldsOf(value: unknown): Fields | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  try {
    return new Map<string, unknown>(Object.entries(value));
  } catch {
    // A getter that throws counts as absent.
    return null;
  }
}

function refuseDoubles(tools: readonly Tool[], source: string, pointer: string): void {
  const seen = new Map<string, number>();
  for (const [index, { function: tool }] of tools.entries()) {
    const first = seen.get(tool.name);
    if (first !== undefined) {
      const reason = `has the same name as ${pointer}/${first}: rename one (mcpTools has the option prefix for it)`;
      throw new ToolListError({ source, tool: tool.name, pointer: `${pointer}/${index}`, reason });
    }
    seen.set(tool.name, index);
  }
}
