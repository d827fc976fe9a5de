/**
 * Hugging Face response templates: data that describes how to parse a model's response into a message.
 *
 * A template has fields, each with the delimiters of its region in the text and the parser of the text between them. A
 * field without an opener is the implicit one: it gets the text that no other region claims.
 */
import type { JsonValue } from '../format/messages.ts';

/** A response template, as under `response_template` in `tokenizer_config.json`. */
export interface ResponseTemplate {
  readonly version?: 1;
  /** Initial values of the message: `{"role": "assistant"}`. Their keys are always kept. */
  readonly defaults?: { readonly [key: string]: JsonValue };
  /**
   * The beginning of the assistant's turn in the prompt: `<|im_start|>assistant\n`; or several. It or
   * `start_anchor_pattern` is required.
   */
  readonly start_anchor?: string | readonly string[];
  /** The beginning as a pattern. */
  readonly start_anchor_pattern?: string;
  readonly fields: { readonly [name: string]: ResponseTemplateField };
}

/** One key of the message. Patterns are Python regular expressions, read with `re.DOTALL`. */
export interface ResponseTemplateField {
  readonly open?: string | readonly string[];
  /** Named groups can be used in `transform`. */
  readonly open_pattern?: string;
  /** Without `close` and `close_pattern`, the region extends to the end of the text. */
  readonly close?: string | readonly string[];
  readonly close_pattern?: string;
  /** Whether the field is an array to which each region adds an item. Default `false`. */
  readonly repeats?: boolean;
  /** Joins the items of a repeating field into one text. */
  readonly join?: string | null;
  /** With `false`, a response without the field is an error. Default `true`. */
  readonly optional?: boolean;
  /** How the region's text is read. Default `text`. */
  readonly content?: ContentParserName;
  readonly content_args?: { readonly [name: string]: JsonValue } | null;
  /** The value's final shape; a string `{content.a}` in it is a placeholder. */
  readonly transform?: JsonValue;
  /** Whether the content is an array, and `transform` applies to each item. Default `false`. */
  readonly transform_each?: boolean;
}

/** The seven parsers of a region's text. */
export type ContentParserName = 'bool' | 'float' | 'int' | 'json' | 'kv-lines' | 'text' | 'xml-inline';

/** All content parsers, in the order of messages. */
export const contentParserNames: readonly ContentParserName[] = [
  'bool',
  'float',
  'int',
  'json',
  'kv-lines',
  'text',
  'xml-inline',
];

/** The events of a streaming parser. */
export type RegionEvent = RegionOpen | RegionChunk | RegionClose | RegionMalformed;

/** A region begins. */
export interface RegionOpen {
  readonly type: 'region_open';
  readonly field: string;
}
/** Text of the open region, as the model wrote it. */
export interface RegionChunk {
  readonly type: 'region_chunk';
  readonly field: string;
  readonly text: string;
  /** Whether the text must be parsed, so that it is not a piece of the final value. */
  readonly dirty: boolean;
}
/** A region ends, and its value is known. */
export interface RegionClose {
  readonly type: 'region_close';
  readonly field: string;
  readonly value: FieldValue;
}

/**
 * A region ends, and its text is invalid for its field; or, without text, a required field is missing. Only with the
 * option `malformed: "event"`.
 */
export interface RegionMalformed {
  readonly type: 'region_malformed';
  readonly field: string;
  /** The region's text, as the model wrote it. */
  readonly raw: string;
  readonly reason: string;
}

/** Values of fields: JSON, but numbers may be infinite or NaN. */
export type FieldValue = JsonValue;

/** The message that results from a response template. */
export interface TemplateMessage {
  [key: string]: FieldValue;
}
