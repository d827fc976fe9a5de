/**
 * Hugging Face's older `response_schema`: a JSON Schema of the message, in which keywords (`x-regex`, `x-parser`) say
 * where in the text each value stands. transformers has dropped it for response templates; files of models still have it.
 */
import { ResponseFieldError, ResponseTemplateError } from '../format/errors.ts';
import { isObject, parseJson, pointerPart } from '../format/json-values.ts';
import type { JsonObject, JsonValue } from '../format/messages.ts';
import { castText } from './casting.ts';
import { parseDialect } from './json-dialect.ts';
import { compilePattern, matchAll, namedGroups } from './pattern/pattern-search.ts';
import type { Pattern, RegexMatch } from './pattern/search.ts';
import { query } from './schema-query.ts';
import { objectFrom } from './transform.ts';

const maxLevels = 50;
const extensions = ['x-regex', 'x-regex-iterator', 'x-regex-key-value', 'x-parser', 'x-parser-args'];

/** A schema in the tree, with its JSON pointer. */
interface SchemaPart {
  readonly schema: JsonObject;
  readonly pointer: string;
}

/**
 * The message that a response schema finds in a text; what it does not find is left out.
 *
 * @throws {ResponseTemplateError} for a schema that is none, or has keywords that are not read here.
 * @throws {PatternError} for a pattern that is invalid or takes too long.
 * @throws {ResponseFieldError} for text that a parser of the schema does not read.
 */
export function parseWithResponseSchema(schema: JsonValue, text: string): JsonObject {
  if (!isObject(schema)) throw new ResponseTemplateError({ pointer: '', reason: 'must be an object' });
  const message = valueAt({ schema, pointer: '' }, text, 0);
  return isObject(message) ? message : {};
}

function valueAt(place: SchemaPart, given: JsonValue, depth: number): JsonValue {
  const { schema, pointer } = place;
  if (depth > maxLevels) throw new ResponseTemplateError({ pointer, reason: 'is nested too deeply' });
  const unknown = Object.keys(schema).find((key) => key.startsWith('x-') && !extensions.includes(key));
  if (unknown !== undefined) throw unread(place, unknown);
  if (schema.const !== undefined) return schema.const;
  const found = parsed(place, matched(place, given));
  if (found === null) return null;
  if (Array.isArray(found)) return itemsOf(place, found, depth);
  if (schema.type === 'object' && (isObject(found) || typeof found === 'string'))
    return propertiesOf(place, found, depth);
  return typeof found === 'string' && typeof schema.type === 'string'
    ? castText(found, [schema.type])
    : found;
}

/** What the patterns of a schema capture: a text, an object of named groups, or a list of either. */
function matched(place: SchemaPart, given: JsonValue): JsonValue {
  const [single, each, keyed] = ['x-regex', 'x-regex-iterator', 'x-regex-key-value'].map((keyword) =>
    patternOf(place, keyword),
  );
  let found = given;
  if (single && typeof found === 'string') found = capturedBy(single, found)[0] ?? null;
  if (each && typeof found === 'string') return capturedBy(each, found);
  if (!keyed || typeof found !== 'string') return found;
  const pairs = capturedBy(keyed, found).filter(isObject);
  return objectFrom(pairs.map(({ key = '', value = null }) => [String(key), value]));
}

function patternOf({ schema, pointer }: SchemaPart, keyword: string): Pattern | null {
  const source = schema[keyword];
  if (source === undefined) return null;
  if (typeof source === 'string') return compilePattern(source);
  throw new ResponseTemplateError({ pointer: `${pointer}/${keyword}`, reason: 'must be a pattern' });
}

function capturedBy(pattern: Pattern, text: string): readonly JsonValue[] {
  return [...matchAll(pattern, text)].map((match) => captured(pattern, match, text));
}

function captured(pattern: Pattern, match: RegexMatch, text: string): JsonValue {
  if (pattern.groupNames.size > 0)
    return objectFrom([...namedGroups(pattern, match, (from, to) => text.slice(from, to))]);
  const [from = match.start, to = match.end] = match.slots;
  return from < 0 ? null : text.slice(from, to);
}

/** What `x-parser` may name; the names are those of transformers. */
const parsers: ReadonlyMap<string, (text: string) => JsonValue | undefined> = new Map([
  ['json', parseJson],
  [
    'gemma4-tool-call',
    (text) => parseDialect(text, { unquotedKeys: true, stringDelimiters: [['<|"|>', '<|"|>']] }),
  ],
]);

function parsed(place: SchemaPart, found: JsonValue): JsonValue {
  const { 'x-parser': parser, 'x-parser-args': given } = place.schema;
  if (parser === undefined || typeof found !== 'string') return found;
  const options = isObject(given) ? given : {};
  const read = typeof parser === 'string' ? parsers.get(parser) : undefined;
  if (read === undefined) throw unread(place, `x-parser ${parser}`);
  const value = read(found);
  if (value === undefined) {
    if (options.allow_non_json === true) return found;
    throw new ResponseFieldError({ field: place.pointer, reason: 'is not JSON', raw: found });
  }
  return typeof options.transform === 'string' ? query(options.transform, value, place.pointer) : value;
}

function itemsOf({ schema, pointer }: SchemaPart, found: readonly JsonValue[], depth: number): JsonValue {
  const { items } = schema;
  if (found.length === 0) return null;
  if (!isObject(items)) return found;
  return found.map((item) => valueAt({ schema: items, pointer: `${pointer}/items` }, item, depth + 1));
}

/** A text that no pattern has taken apart is searched by each property. */
function propertiesOf(
  { schema, pointer }: SchemaPart,
  found: JsonObject | string,
  depth: number,
): JsonObject {
  const properties = isObject(schema.properties) ? schema.properties : {};
  const others = isObject(schema.additionalProperties) && isObject(found) ? Object.keys(found) : [];
  const names = new Set([...Object.keys(properties), ...others]);
  const entries = [...names].flatMap((name): [string, JsonValue][] => {
    const at = Object.hasOwn(properties, name) ? `properties/${pointerPart(name)}` : 'additionalProperties';
    const child = properties[name] ?? schema.additionalProperties;
    if (!isObject(child)) return [];
    const given = typeof found === 'string' ? found : (found[name] ?? null);
    const value = valueAt({ schema: child, pointer: `${pointer}/${at}` }, given, depth + 1);
    const shown = value ?? child.default ?? null;
    return shown === null ? [] : [[name, shown]];
  });
  return objectFrom(entries);
}

function unread({ pointer }: SchemaPart, keyword: string): ResponseTemplateError {
  return new ResponseTemplateError({ pointer, reason: `\`${keyword}\` is not read here` });
}
