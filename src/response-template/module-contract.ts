/**
 * The contract of modules generated from a response template. A module lists its regions as data, with one function
 * each for the value; delimiters are compiled when the module is loaded, and nothing of the template is interpreted
 * after that.
 */
import type { JsonValue } from '../format/messages.ts';
import { readContent as readContentWith } from './content.ts';
import { escapeLiterals } from './literal-delimiter.ts';
import { compilePattern } from './pattern/pattern-search.ts';
import type { Delimiter, Region } from './region.ts';
import {
  type ResponseTemplateOptions,
  type ResponseTemplateParser,
  startParser,
} from './response-template-parser.ts';
import type { ContentParserName, FieldValue } from './template.ts';

export { readEach } from './content.ts';
export type { Region } from './region.ts';
export { placeholder, type TransformScope } from './transform.ts';

/** Version of this contract; a generated module contains the version that it was generated for. */
export const responseTemplateContractVersion = 1;

/** A generated module's template. */
export interface TemplateModule {
  readonly contractVersion: typeof responseTemplateContractVersion;
  readonly defaults: { readonly [key: string]: JsonValue };
  readonly anchor: Delimiter;
  /** In the order in which delimiters are tried. */
  readonly regions: readonly Region[];
}

/** A delimiter that is one of several texts; the longest that fits wins. */
export function literal(...texts: readonly string[]): Delimiter {
  return { pattern: compilePattern(escapeLiterals(texts)) };
}

/** A delimiter that is a Python pattern, read with `re.DOTALL`. */
export function pattern(source: string): Delimiter {
  return { pattern: compilePattern(source) };
}

/** Arguments of a content parser, stored once per module, so that they are compiled once. */
export type ContentOptions = ReadonlyMap<string, JsonValue>;

/** Arguments of a content parser, as a module contains them. */
export function contentOptions(options: { readonly [name: string]: JsonValue }): ContentOptions {
  return new Map(Object.entries(options));
}

/**
 * Reads a region's text.
 *
 * @throws {ResponseFieldError}
 */
export function readContent(
  field: string,
  raw: string,
  parser: ContentParserName,
  options?: ContentOptions,
): FieldValue {
  return readContentWith(field, raw, parser, options);
}

/** The names for placeholders of a region: the groups of its opener, and its content. */
export function scopeOf(
  content: FieldValue,
  groups: ReadonlyMap<string, string>,
): ReadonlyMap<string, JsonValue> {
  return new Map<string, JsonValue>([...groups, ['content', content]]);
}

/** Starts parsing one response with a generated module. */
export function startModuleParser(
  module: TemplateModule,
  options: ResponseTemplateOptions,
): ResponseTemplateParser {
  const { defaults, anchor, regions } = module;
  const implicit = regions.find((region) => region.open === null) ?? null;
  const entries = new Map(Object.entries(defaults));
  return startParser({ defaults: entries, anchor: anchor.pattern, fields: regions, implicit }, options);
}
