/**
 * Combines the schemas of tools into one schema from which types are generated. What types cannot express is omitted,
 * so a type is never narrower than its schema; untrusted text that would become source (type expressions, file names
 * in references) is omitted too.
 */

import { isObject, pointerKey, pointerPart } from '../format/json-values.ts';
import type { JsonObject, JsonSchema, JsonValue, Tool } from '../format/messages.ts';
import { isMeant } from '../json-schema/shapes/keyword-kinds.ts';

/** Maximum depth of schemas; deeper parts may be anything. */
const maxDepth = 64;

const noArguments: JsonSchema = { type: 'object', properties: {}, additionalProperties: false };

/** A schema whose properties are the tools' arguments, by tool name. */
export function schemaForTypes(tools: readonly Tool[]): JsonObject {
  const properties = Object.fromEntries(
    tools.map(({ function: tool }) => [tool.name, argumentsSchema(tool)]),
  );
  return {
    type: 'object',
    properties,
    required: tools.map(({ function: tool }) => tool.name),
    additionalProperties: false,
  };
}

function argumentsSchema({ name, description, parameters = noArguments }: Tool['function']): JsonObject {
  const simple = simplify(parameters, 0);
  return {
    ...placeReferences(simple, simple, `#/properties/${escapePart(name)}`),
    type: 'object',
    title: `${name} arguments`,
    ...(description === undefined ? {} : { description: tidy(description) }),
  };
}

function simplify(schema: JsonValue, depth: number): JsonObject {
  if (schema === false) return { not: {} };
  if (!isObject(schema) || depth > maxDepth) return {};
  const meant = Object.entries(schema).filter(([keyword, value]) => isMeant(keyword, value));
  const fields = new Map<string, JsonValue>(meant);
  const reference = fields.get('$ref');
  const result = new Map<string, JsonValue>();
  for (const [keyword, value] of fields) {
    const isCombined = typeof reference === 'string' && !keyword.startsWith('$') && keyword !== 'definitions';
    const simpler = isCombined ? null : simplifyKeyword(keyword, value, depth);
    if (simpler !== null) result.set(keyword, simpler);
  }
  if (typeof reference === 'string') return Object.fromEntries(result.set('$ref', reference));
  for (const [keyword, value] of simplifyItems(fields, depth)) result.set(keyword, value);
  if (allowsNoProperty(result)) result.set('tsType', 'Record<string, never>');
  return Object.fromEntries(result);
}

/** Whether an object is always empty; written as `{}`, it would mean anything. */
function allowsNoProperty(fields: ReadonlyMap<string, JsonValue>): boolean {
  if (fields.get('additionalProperties') !== false || fields.get('type') !== 'object') return false;
  return ['properties', 'patternProperties'].every(
    (keyword) => Object.keys(fields.get(keyword) ?? {}).length === 0,
  );
}

/** The simplified keyword; `null` if types cannot express it. */
function simplifyKeyword(keyword: string, value: JsonValue, depth: number): JsonValue | null {
  switch (keyword) {
    case 'type':
    case 'const':
    case 'enum':
    case 'required':
      return value;
    case 'description':
      return typeof value === 'string' ? tidy(value) : null;
    case 'additionalProperties':
      return typeof value === 'boolean' ? value : simplify(value, depth + 1);
    case 'properties':
    case 'patternProperties':
    case '$defs':
    case 'definitions':
      return isObject(value) ? simplifyEach(value, depth) : null;
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return isList(value) ? value.map((each) => simplify(each, depth + 1)) : null;
    default:
      return null;
  }
}

function simplifyEach(schemas: JsonObject, depth: number): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, simplify(schema, depth + 1)]),
  );
}

/** A tuple if none of its items can be missing; otherwise an array of what may come. */
function simplifyItems(
  fields: ReadonlyMap<string, JsonValue>,
  depth: number,
): ReadonlyMap<string, JsonValue> {
  const plain = fields.get('items');
  const isOld = plain !== undefined && isList(plain);
  const first = isOld ? plain : fields.get('prefixItems');
  const rest = (isOld ? fields.get('additionalItems') : plain) ?? true;
  if (first === undefined || !isList(first) || first.length === 0) {
    return new Map(plain === undefined ? [] : [['items', simplify(plain, depth + 1)]]);
  }
  const items = first.map((each) => simplify(each, depth + 1));
  const others = rest === false ? [] : [simplify(rest, depth + 1)];
  if (Number(fields.get('minItems') ?? 0) < items.length) {
    return new Map([['items', { anyOf: [...items, ...others] }]]);
  }
  return new Map<string, JsonValue>([
    ['items', items],
    ['additionalItems', others[0] ?? false],
  ]);
}

/** Moves references within the schema to `place`; references without a target may mean anything. */
function placeReferences(schema: JsonObject, root: JsonObject, place: string): JsonObject {
  const reference = schema.$ref;
  if (typeof reference === 'string' && !leadsSomewhere(reference, root)) return {};
  const entries = Object.entries(schema).map(([keyword, value]): [string, JsonValue] => {
    if (keyword === '$ref') return [keyword, place + String(value).slice(1)];
    return [keyword, placeIn(keyword, value, root, place)];
  });
  return Object.fromEntries(entries);
}

function placeIn(keyword: string, value: JsonValue, root: JsonObject, place: string): JsonValue {
  if (plainData.has(keyword)) return value;
  if (isList(value)) return value.map((each) => (isObject(each) ? placeReferences(each, root, place) : each));
  if (!isObject(value)) return value;
  if (!namedSchemas.has(keyword)) return placeReferences(value, root, place);
  const entries = Object.entries(value).map(([name, each]) => [
    name,
    isObject(each) ? placeReferences(each, root, place) : each,
  ]);
  return Object.fromEntries(entries);
}

const plainData: ReadonlySet<string> = new Set(['const', 'enum', 'required', 'type', 'description']);
const namedSchemas: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
]);

/** Whether a reference by pointer within the schema ends at something other than references. */
function leadsSomewhere(reference: string, root: JsonObject): boolean {
  const seen = new Set<string>();
  let next = reference;
  while (!seen.has(next)) {
    seen.add(next);
    const target = next === '#' || next.startsWith('#/') ? valueAt(root, next) : null;
    if (target === null || !isObject(target)) return false;
    if (typeof target.$ref !== 'string') return true;
    next = target.$ref;
  }
  return false;
}

function valueAt(root: JsonObject, pointer: string): JsonValue {
  let at: JsonValue = root;
  for (const part of pointer.split('/').slice(1)) {
    const key = unescapePart(part);
    if (isList(at)) at = at[Number(key)] ?? null;
    else if (isObject(at) && Object.hasOwn(at, key)) at = at[key] ?? null;
    else return null;
  }
  return at;
}

function unescapePart(part: string): string {
  const plain = pointerKey(part);
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}

function escapePart(name: string): string {
  return encodeURIComponent(pointerPart(name));
}

/** Keeps comments closed, and without tags. */
function tidy(text: string): string {
  return text
    .replaceAll('*/', '* /')
    .replace(/[^\P{C}\n]/gu, ' ')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .trim();
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}
