/** The vocabularies of a dialect: which keywords a custom meta-schema leaves without meaning. */
import { isObject } from '../../format/json-values.ts';
import type { JsonSchema, JsonValue } from '../../format/messages.ts';

const applicators = [
  ...['prefixItems', 'items', 'additionalItems', 'contains', 'properties', 'patternProperties'],
  ...['additionalProperties', 'propertyNames', 'dependentSchemas', 'if', 'then', 'else'],
  ...['allOf', 'anyOf', 'oneOf', 'not'],
];
const unevaluated = ['unevaluatedItems', 'unevaluatedProperties'];
const validation = [
  ...['type', 'const', 'enum', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  ...['maxLength', 'minLength', 'pattern', 'maxItems', 'minItems', 'uniqueItems', 'maxContains'],
  ...['minContains', 'maxProperties', 'minProperties', 'required', 'dependentRequired'],
];

/** Assertion keywords, by the vocabularies of 2019-09 and 2020-12 that define them. */
const standard: ReadonlyMap<string, readonly string[]> = new Map([
  ['2019-09/vocab/core', []],
  ['2019-09/vocab/applicator', [...applicators, ...unevaluated]],
  ['2019-09/vocab/validation', validation],
  ['2019-09/vocab/meta-data', []],
  ['2019-09/vocab/format', ['format']],
  ['2019-09/vocab/content', []],
  ['2020-12/vocab/core', []],
  ['2020-12/vocab/applicator', applicators],
  ['2020-12/vocab/unevaluated', unevaluated],
  ['2020-12/vocab/validation', validation],
  ['2020-12/vocab/meta-data', []],
  ['2020-12/vocab/format-annotation', ['format']],
  ['2020-12/vocab/format-assertion', ['format']],
  ['2020-12/vocab/content', []],
]);
const prefix = 'https://json-schema.org/draft/';

/** What a dialect's meta-schema says about keywords. */
export interface Dialect {
  /** Keywords that assert nothing. */
  readonly ignored: ReadonlySet<string>;
  /** URIs of unknown vocabularies that the schema requires. */
  readonly unknown: readonly string[];
}

/** The dialect of a schema whose meta-schema is missing or lists no vocabularies. */
export const everyVocabulary: Dialect = { ignored: new Set(), unknown: [] };

/**
 * The dialect of `metaSchema`: ignores keywords of standard vocabularies that `$vocabulary` does not list (JSON
 * Schema 2020-12 core, 8.1.2). A vocabulary listed with `true` must be known.
 */
export function dialectOf(metaSchema: JsonSchema | undefined): Dialect {
  const listed: JsonValue | undefined = typeof metaSchema === 'object' ? metaSchema.$vocabulary : undefined;
  if (!isObject(listed)) return everyVocabulary;
  const entries = Object.entries(listed);
  const named = entries.map(([uri]) => (uri.startsWith(prefix) ? uri.slice(prefix.length) : uri));
  const known = new Set(named.flatMap((name) => standard.get(name) ?? []));
  const all = [...standard.values()].flat();
  return {
    ignored: new Set(all.filter((keyword) => !known.has(keyword))),
    unknown: entries.flatMap(([uri, required], index) =>
      required === true && !standard.has(named[index] ?? '') ? [uri] : [],
    ),
  };
}

/** `schema` without the keywords that its dialect ignores. */
export function inDialect(schema: JsonSchema, { ignored }: Dialect): JsonSchema {
  if (typeof schema === 'boolean' || ignored.size === 0) return schema;
  return Object.fromEntries(Object.entries(schema).filter(([keyword]) => !ignored.has(keyword)));
}
