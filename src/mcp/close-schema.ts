/** Closes the objects of a schema: keys that it does not declare are no longer allowed. */
import { isRecord } from '../format/option-rules.ts';

type Schema = Readonly<Record<string, unknown>>;

/** What says itself which other keys there may be, or has a part in another schema. */
const opening = [
  'additionalProperties',
  'unevaluatedProperties',
  'patternProperties',
  'propertyNames',
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'dependentSchemas',
  '$ref',
  '$dynamicRef',
];

/** Schemas within a schema that judge another value: closing them closes nothing else. */
const single = ['items', 'contains'];
const listed = ['prefixItems'];
const named = ['properties', 'patternProperties'];

/** No schema of a tool is deeper. */
const maxDepth = 200;

/**
 * The schema with `additionalProperties: false` in every object that declares its properties and says nothing about
 * others. Objects that are made of several schemas (`allOf`, `$ref`), and definitions, which may be a part of such, stay
 * as they are.
 */
export function closeSchema(schema: unknown, depth = 0): unknown {
  if (!isRecord(schema) || depth > maxDepth) return schema;
  const inner = (value: unknown): unknown => closeSchema(value, depth + 1);
  const isOpen = isRecord(schema.properties) && opening.every((keyword) => schema[keyword] === undefined);
  return {
    ...Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, insideOf(key, value, inner)])),
    ...(isOpen ? { additionalProperties: false } : {}),
  } satisfies Schema;
}

function insideOf(key: string, value: unknown, inner: (value: unknown) => unknown): unknown {
  if (single.includes(key)) return inner(value);
  if (listed.includes(key) && Array.isArray(value)) return value.map(inner);
  if (named.includes(key) && isRecord(value))
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, inner(each)]));
  return value;
}
