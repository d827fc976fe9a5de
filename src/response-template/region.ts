/** A response template prepared for parsing; loaded templates and generated modules both become this. */
import type { JsonValue } from '../format/messages.ts';
import type { Pattern } from './pattern/search.ts';
import type { FieldValue } from './template.ts';

/**
 * A validated template with compiled patterns, as `loadResponseTemplate` returns it. It shares nothing with the caller's
 * object.
 */
export interface LoadedTemplate {
  readonly defaults: ReadonlyMap<string, JsonValue>;
  /** The beginning of the assistant's turn in the prompt. */
  readonly anchor: Pattern;
  /** In the template's order. */
  readonly fields: readonly Region[];
  /** The field without an opener. */
  readonly implicit: Region | null;
}

/** One field: its region, and how its text becomes a value. */
export interface Region {
  readonly name: string;
  /** `null` for the implicit field. */
  readonly open: Delimiter | null;
  /** `null` if only the end of the text closes it. */
  readonly close: Delimiter | null;
  readonly repeats: boolean;
  readonly join: string | null;
  readonly optional: boolean;
  /** Whether the value is the text, so that several texts can be joined. */
  readonly text: boolean;
  /** Whether the text must be parsed, so that chunks are not pieces of the value. */
  readonly structured: boolean;
  /**
   * The value of one region, from its text and the named groups of its opener.
   *
   * @throws {ResponseFieldError}
   */
  readonly read: (raw: string, groups: ReadonlyMap<string, string>) => FieldValue;
}

/** What opens or closes a region. */
export interface Delimiter {
  readonly pattern: Pattern;
}
