/** A response template made ready for parsing: what a loaded template and a generated module both are. */
import type { JsonValue } from '../format/messages.ts';
import type { Pattern } from './pattern/search.ts';
import type { FieldValue } from './template.ts';

/** A template that was checked, with its patterns compiled. Nothing in it belongs to the caller. */
export interface LoadedTemplate {
  readonly defaults: ReadonlyMap<string, JsonValue>;
  /** What the assistant's turn begins with in the prompt. */
  readonly anchor: Pattern;
  /** In the template's order. */
  readonly fields: readonly Region[];
  /** The field without an opener. */
  readonly implicit: Region | null;
}

/** One field: where its text stands, and how it becomes a value. */
export interface Region {
  readonly name: string;
  /** `null` for the implicit field. */
  readonly open: Delimiter | null;
  /** `null` when only the end of the text closes it. */
  readonly close: Delimiter | null;
  readonly repeats: boolean;
  readonly join: string | null;
  readonly optional: boolean;
  /** The value is the text, so that several texts can be one. */
  readonly text: boolean;
  /** The text has to be parsed: chunks of it are not pieces of the value. */
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
