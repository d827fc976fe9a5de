/** Validates a response template like the reference implementation, and prepares it for parsing. */

import { PatternError, ResponseTemplateError } from '../format/errors.ts';
import { isObject, pointerPart } from '../format/json-values.ts';
import type { JsonValue } from '../format/messages.ts';
import { type ContentArguments, isStructured, type Reading, readRegion } from './content.ts';
import { escapeLiterals } from './literal-delimiter.ts';
import { compilePattern } from './pattern/pattern-search.ts';
import type { Pattern } from './pattern/search.ts';
import { isTruthy, pythonTypeName } from './python-values.ts';
import type { Delimiter, LoadedTemplate, Region } from './region.ts';
import { type ContentParserName, contentParserNames, type ResponseTemplate } from './template.ts';
import { checkTransform } from './transform.ts';

type Entries = ReadonlyMap<string, unknown>;

const templateKeys = new Set(['version', 'defaults', 'fields', 'start_anchor', 'start_anchor_pattern']);
const fieldKeys = new Set([
  'open',
  'open_pattern',
  'close',
  'close_pattern',
  'repeats',
  'join',
  'optional',
  'content',
  'content_args',
  'transform',
  'transform_each',
]);

/** What `loadResponseTemplate` returned. */
const loadedTemplates = new WeakSet<object>();

/**
 * Checks `template` and compiles its patterns, once for many responses: all functions that take a response template
 * take what this one returns. The template is read, never kept and never changed.
 *
 * @throws {ResponseTemplateError} at the first key that the reference would refuse.
 */
export function loadResponseTemplate(
  template: ResponseTemplate | LoadedTemplate | JsonValue,
): LoadedTemplate {
  if (isLoaded(template)) return template;
  const loaded = load(template);
  loadedTemplates.add(loaded);
  return loaded;
}

function isLoaded(template: ResponseTemplate | LoadedTemplate | JsonValue): template is LoadedTemplate {
  return typeof template === 'object' && template !== null && loadedTemplates.has(template);
}

function load(template: ResponseTemplate | JsonValue): LoadedTemplate {
  const entries = entriesOf(template);
  if (entries === null) throw invalid('', `must be an object, got ${pythonTypeName(template)}`);
  const version = entries.has('version') ? entries.get('version') : 1;
  if (version !== 1 && version !== true)
    throw invalid('/version', `unsupported version ${JSON.stringify(version)}`);
  checkKeys(entries, templateKeys, '');
  const defaults = entriesOf(entries.has('defaults') ? entries.get('defaults') : {});
  if (defaults === null) throw invalid('/defaults', 'must be an object');
  const fields = loadFields(entries.get('fields'));
  const implicit = fields.filter((field) => field.open === null);
  if (implicit.length > 1) {
    const names = implicit.map((field) => field.name).join(', ');
    throw invalid('/fields', `only one field may go without an opener; without one are ${names}`);
  }
  const anchor = loadDelimiter(entries, '', 'start_anchor', 'start_anchor_pattern');
  if (anchor === null)
    throw invalid(
      '/start_anchor',
      'start_anchor or start_anchor_pattern is required: what the prompt begins an answer with, such as "<|im_start|>assistant\\n"',
    );
  return {
    defaults: structuredClone(defaults) as ReadonlyMap<string, JsonValue>,
    anchor: anchor.pattern,
    fields,
    implicit: implicit[0] ?? null,
  };
}

function loadFields(value: unknown): Region[] {
  const entries = entriesOf(value);
  if (entries === null || entries.size === 0) throw invalid('/fields', 'must be an object with a field');
  return [...entries].map(([name, field]) => loadField(name, field));
}

function loadField(name: string, value: unknown): Region {
  const pointer = `/fields/${pointerPart(name)}`;
  const entries = entriesOf(value);
  if (entries === null) throw invalid(pointer, 'must be an object');
  checkKeys(entries, fieldKeys, pointer);
  const open = loadDelimiter(entries, pointer, 'open', 'open_pattern');
  const close = loadDelimiter(entries, pointer, 'close', 'close_pattern');
  const repeats = isTruthy(entries.get('repeats') ?? false);
  const join = loadJoin(entries.get('join'), repeats, pointer);
  const optional = isTruthy(entries.has('optional') ? entries.get('optional') : true);
  const reading = loadReading(name, entries, pointer, [open, close]);
  return {
    name,
    open,
    close,
    repeats,
    join,
    optional,
    text: reading.content === 'text',
    structured: isStructured(reading.content),
    read: (raw, groups) => readRegion(reading, raw, groups),
  };
}

function loadReading(
  field: string,
  entries: Entries,
  pointer: string,
  delimiters: readonly (Delimiter | null)[],
): Reading {
  return {
    field,
    content: loadContent(entries, pointer),
    contentArguments: structuredClone(
      entriesOf(entries.get('content_args')) ?? new Map(),
    ) as ContentArguments,
    transform: loadTransform(entries, pointer, delimiters),
  };
}

function loadJoin(join: unknown, repeats: boolean, pointer: string): string | null {
  if (join === undefined || join === null) return null;
  if (typeof join !== 'string')
    throw invalid(`${pointer}/join`, `must be a string, got ${pythonTypeName(join)}`);
  if (!repeats) throw invalid(`${pointer}/join`, 'needs "repeats": true');
  return join;
}

function loadContent(entries: Entries, pointer: string): ContentParserName {
  const content = entries.has('content') ? entries.get('content') : 'text';
  const known = contentParserNames.find((name) => name === content);
  if (known !== undefined) return known;
  const available = contentParserNames.join(', ');
  throw invalid(
    `${pointer}/content`,
    `unknown content parser ${JSON.stringify(content)}; there are ${available}`,
  );
}

function loadTransform(
  entries: Entries,
  pointer: string,
  delimiters: readonly (Delimiter | null)[],
): Reading['transform'] {
  const each = entries.has('transform_each') ? entries.get('transform_each') : false;
  if (typeof each !== 'boolean') {
    throw invalid(`${pointer}/transform_each`, `must be a boolean, got ${pythonTypeName(each)}`);
  }
  const shape = entries.get('transform') ?? null;
  if (shape !== null) {
    checkTransform(shape, `${pointer}/transform`);
    return { shape: structuredClone(shape) as JsonValue, each };
  }
  if (each) throw invalid(`${pointer}/transform_each`, 'is set, but there is no transform');
  const groups = delimiters.flatMap((delimiter) => [...(delimiter?.pattern.groupNames.keys() ?? [])]);
  if (groups.length > 0) {
    throw invalid(
      `${pointer}/transform`,
      `is missing, so nothing uses the named groups ${groups.join(', ')}`,
    );
  }
  return null;
}

/** Reads one of a literal key and a pattern key. */
function loadDelimiter(
  entries: Entries,
  pointer: string,
  literalKey: string,
  patternKey: string,
): Delimiter | null {
  if (entries.has(literalKey) && entries.has(patternKey)) {
    throw invalid(`${pointer}/${patternKey}`, `cannot stand next to ${literalKey}`);
  }
  if (entries.has(literalKey)) {
    const literals = loadLiterals(entries.get(literalKey), `${pointer}/${literalKey}`);
    const pattern = compile(escapeLiterals(literals), `${pointer}/${literalKey}`);
    return { pattern };
  }
  if (!entries.has(patternKey)) return null;
  const pattern = entries.get(patternKey);
  if (typeof pattern !== 'string') {
    throw invalid(`${pointer}/${patternKey}`, `must be a string, got ${pythonTypeName(pattern)}`);
  }
  return { pattern: compile(pattern, `${pointer}/${patternKey}`) };
}

function loadLiterals(value: unknown, pointer: string): readonly string[] {
  const list = Array.isArray(value) ? value : [value];
  if (list.length === 0) throw invalid(pointer, 'the list must hold at least one literal');
  return list.map((literal: unknown) => {
    if (typeof literal !== 'string') {
      const what = Array.isArray(value)
        ? 'the list must hold only strings'
        : 'must be a string or a list of strings';
      throw invalid(pointer, `${what}, got ${pythonTypeName(literal)}`);
    }
    if (literal === '') throw invalid(pointer, 'a literal cannot be empty');
    return literal;
  });
}

function compile(pattern: string, pointer: string): Pattern {
  try {
    return compilePattern(pattern);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    throw new ResponseTemplateError({ pointer, reason: error.message, cause: error });
  }
}

function checkKeys(entries: Entries, known: ReadonlySet<string>, pointer: string): void {
  for (const key of entries.keys()) {
    if (!known.has(key)) throw invalid(`${pointer}/${pointerPart(key)}`, 'unknown key');
  }
}

/** The entries of an object; `null` for anything else. */
function entriesOf(value: unknown): Entries | null {
  if (!isObject(value)) return null;
  return new Map(Object.entries(value));
}

function invalid(pointer: string, reason: string): ResponseTemplateError {
  return new ResponseTemplateError({ pointer, reason });
}
