/** The seven content parsers, which convert a region's text to a value. */

import { PatternError, ResponseFieldError } from '../format/errors.ts';
import { isObject } from '../format/json-values.ts';
import type { JsonObject, JsonValue } from '../format/messages.ts';
import { type JsonDialect, parseDialect } from './json-dialect.ts';
import { compilePattern, matchAll, namedGroups } from './pattern/pattern-search.ts';
import type { Pattern } from './pattern/search.ts';
import { isTruthy, pythonTypeName, readFloat, readInteger, stripSpace } from './python-values.ts';
import { type ContentParserName, contentParserNames, type FieldValue } from './template.ts';
import { applyTransform, objectFrom, type TransformScope } from './transform.ts';

/** Arguments of a content parser, by name. */
export type ContentArguments = ReadonlyMap<string, JsonValue>;

/** How the text of a field's regions is parsed. */
export interface Reading {
  readonly field: string;
  readonly content: ContentParserName;
  readonly contentArguments: ContentArguments;
  /** `null` if the content is the value. */
  readonly transform: { readonly shape: JsonValue; readonly each: boolean } | null;
}

/**
 * The value of one region.
 *
 * @throws {ResponseFieldError} when the text is not what the content parser reads, or the transform
 * names what is not there.
 */
export function readRegion(reading: Reading, raw: string, groups: ReadonlyMap<string, string>): FieldValue {
  const { field, transform } = reading;
  const content = readContent(field, raw, reading.content, reading.contentArguments);
  if (transform === null) return content;
  const { shape, each } = transform;
  if (!each)
    return applyTransform(shape, new Map<string, JsonValue>([...groups, ['content', content]]), field);
  return readEach(field, content, groups, (scope) => applyTransform(shape, scope, field));
}

/**
 * The content of a region, before any transform.
 *
 * @throws {ResponseFieldError}
 */
export function readContent(
  field: string,
  raw: string,
  name: ContentParserName,
  given: ContentArguments = new Map(),
): FieldValue {
  return parseContent({ field, raw, name, given });
}

/**
 * Fills in a transform for each item of a list, whose keys come before the opener's groups.
 *
 * @throws {ResponseFieldError} when the content is not a list of objects.
 */
export function readEach(
  field: string,
  content: FieldValue,
  groups: ReadonlyMap<string, string>,
  fill: (scope: TransformScope) => JsonValue,
): FieldValue {
  if (!Array.isArray(content)) throw unusable(field, 'list', content);
  return content.map((item: JsonValue) => {
    if (!isObject(item)) throw unusable(field, 'list of dicts', item);
    return fill(new Map<string, JsonValue>([...groups, ...Object.entries(item)]));
  });
}

/** Whether chunks of such a region are not pieces of its final value. */
export function isStructured(content: ContentParserName): boolean {
  return content === 'json' || content === 'xml-inline' || content === 'kv-lines';
}

interface Content {
  readonly field: string;
  readonly raw: string;
  readonly name: ContentParserName;
  readonly given: ContentArguments;
}

function parseContent(content: Content): FieldValue {
  switch (content.name) {
    case 'text':
      return trimmed(content, content.raw);
    case 'int':
      return readInteger(content.raw) ?? fail(content, 'the text is not an integer');
    case 'float':
      return readFloat(content.raw) ?? fail(content, 'the text is not a number');
    case 'bool':
      return ['true', '1'].includes(stripSpace(content.raw).toLowerCase());
    case 'json':
      return readJson(content);
    case 'xml-inline':
      return readTags(content);
    case 'kv-lines':
      return readLines(content);
  }
}

function readJson(content: Content): FieldValue {
  try {
    return parseDialect(content.raw, dialectOf(content));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    if (isTruthy(content.given.get('allow_non_json') ?? false)) return trimmed(content, content.raw);
    // What `JSON.parse` says quotes the text.
    return fail(content, 'the text is not JSON');
  }
}

/** The text without white space at its edges, unless an argument keeps it. */
function trimmed({ given }: Content, text: string): string {
  return isTruthy(given.has('strip') ? given.get('strip') : true) ? stripSpace(text) : text;
}

function dialectOf(content: Content): JsonDialect {
  const delimiters = content.given.get('string_delims') ?? [];
  if (!Array.isArray(delimiters)) return fail(content, 'string_delims must be a list of pairs');
  return {
    unquotedKeys: isTruthy(content.given.get('unquoted_keys') ?? false),
    stringDelimiters: delimiters.map((pair: JsonValue) => {
      const [open, close] = Array.isArray(pair) ? pair : [];
      if (typeof open === 'string' && typeof close === 'string') return [open, close] as const;
      return fail(content, 'string_delims must be a list of pairs');
    }),
  };
}

const tagPatterns = new WeakMap<ContentArguments, Pattern>();

function tagPattern(content: Content): Pattern {
  const known = tagPatterns.get(content.given);
  if (known !== undefined) return known;
  const source = content.given.get('tag_pattern');
  if (typeof source !== 'string') return fail(content, 'needs the argument tag_pattern');
  const pattern = compiled(content, source);
  tagPatterns.set(content.given, pattern);
  return pattern;
}

function compiled(content: Content, source: string): Pattern {
  try {
    return compilePattern(source);
  } catch (error) {
    if (error instanceof PatternError) return fail(content, error.message);
    throw error;
  }
}

function readTags(content: Content): JsonObject {
  const pattern = tagPattern(content);
  const merge = isTruthy(content.given.get('merge_duplicates') ?? false);
  const entries = new Map<string, JsonValue>();
  for (const match of matchAll(pattern, content.raw)) {
    const groups = namedGroups(pattern, match, (from, to) => content.raw.slice(from, to));
    const key = groups.get('key') ?? fail(content, 'tag_pattern needs a group named key, which must match');
    const value = tagValue(content, pattern, groups);
    const before = entries.get(key);
    if (!merge || before === undefined) entries.set(key, value);
    // An array among the values is the array that later values join.
    else entries.set(key, Array.isArray(before) ? [...before, value] : [before, value]);
  }
  return objectFrom(entries);
}

/** The value of one tag: empty if the pattern has no group for it, null if that group did not match. */
function tagValue(content: Content, pattern: Pattern, groups: ReadonlyMap<string, string>): JsonValue {
  const raw = groups.get('value') ?? (pattern.groupNames.has('value') ? null : '');
  return raw === null ? null : nested(content, raw);
}

function readLines(content: Content): JsonObject {
  const lineSeparator = textArgument(content, 'line_sep', '\n');
  const keySeparator = textArgument(content, 'kv_sep', ':');
  const tidy = (text: string) => trimmed(content, text);
  const entries = new Map<string, JsonValue>();
  for (const written of content.raw.split(lineSeparator)) {
    const line = tidy(written);
    const at = line.indexOf(keySeparator);
    if (at === -1) continue;
    const value = nested(content, tidy(line.slice(at + keySeparator.length)));
    entries.set(tidy(line.slice(0, at)), value);
  }
  return objectFrom(entries);
}

function textArgument(content: Content, name: string, otherwise: string): string {
  const value = content.given.get(name) ?? otherwise;
  return typeof value === 'string' && value !== '' ? value : fail(content, `${name} must be a text`);
}

/** Parses a value inside a region with the content parser named in `value_parser`. */
function nested(content: Content, raw: string): JsonValue {
  const parser = content.given.get('value_parser') ?? null;
  if (parser === null) return raw;
  if (!isObject(parser)) return fail(content, 'value_parser must be an object');
  const { name: wanted = 'text', args = null } = parser;
  const name = contentParserNames.find((known) => known === wanted);
  if (name === undefined)
    return fail(content, `value_parser names no content parser: ${JSON.stringify(wanted)}`);
  const given = new Map(typeof args === 'object' && args !== null ? Object.entries(args) : []);
  return parseContent({ field: content.field, raw, name, given });
}

function fail(content: Content, problem: string): never {
  const { field, name, raw } = content;
  throw new ResponseFieldError({ field, reason: `${name}: ${problem}`, raw });
}

function unusable(field: string, wanted: string, value: JsonValue): ResponseFieldError {
  const reason = `transform_each needs a ${wanted}, got ${pythonTypeName(value)}`;
  return new ResponseFieldError({ field, reason, raw: '' });
}
