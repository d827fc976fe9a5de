/**
 * Hugging Face response templates: data that says how to read a model's response back into a message.
 *
 * A template names fields, each with what opens and closes its region in the text and how the text
 * between is read. A field without an opener is the implicit one: it takes what no other region claims.
 */
import type { JsonValue } from '../format/messages.ts';

/** A response template, as it stands under `response_template` in `tokenizer_config.json`. */
export interface ResponseTemplate {
  readonly version?: 1;
  /** Values that the message begins with: `{"role": "assistant"}`. Their keys are always kept. */
  readonly defaults?: { readonly [key: string]: JsonValue };
  /** What the assistant's turn begins with in the prompt: `<|im_start|>assistant\n`; or several. */
  readonly start_anchor?: string | readonly string[];
  /** The same as a pattern. One of the two is required. */
  readonly start_anchor_pattern?: string;
  readonly fields: { readonly [name: string]: ResponseTemplateField };
}

/** One key of the message. Patterns are Python regular expressions, read with `re.DOTALL`. */
export interface ResponseTemplateField {
  readonly open?: string | readonly string[];
  /** Named groups can be used in `transform`. */
  readonly open_pattern?: string;
  /** Without `close` and `close_pattern`, the region ends with the text. */
  readonly close?: string | readonly string[];
  readonly close_pattern?: string;
  /** The field is a list, and each region adds an item. Default `false`. */
  readonly repeats?: boolean;
  /** Joins the items of a repeating field into one text. */
  readonly join?: string | null;
  /** With `false`, a response in which the field never opens is an error. Default `true`. */
  readonly optional?: boolean;
  /** How the region's text is read. Default `text`. */
  readonly content?: ContentParserName;
  readonly content_args?: { readonly [name: string]: JsonValue } | null;
  /** The value's final shape; a text `{content.a}` in it stands for what it names. */
  readonly transform?: JsonValue;
  /** The content is a list, and `transform` applies to each item. Default `false`. */
  readonly transform_each?: boolean;
}

/** The seven ways to read a region's text. */
export type ContentParserName = 'bool' | 'float' | 'int' | 'json' | 'kv-lines' | 'text' | 'xml-inline';

/** All content parsers, in the order in which messages list them. */
export const contentParserNames: readonly ContentParserName[] = [
  'bool',
  'float',
  'int',
  'json',
  'kv-lines',
  'text',
  'xml-inline',
];

/** What a streaming parser says. */
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
  /** The text has to be parsed: it is not a piece of the final value. */
  readonly dirty: boolean;
}
/** A region ends, and its value is known. */
export interface RegionClose {
  readonly type: 'region_close';
  readonly field: string;
  readonly value: FieldValue;
}

/**
 * A region ends, and its text is not what its field reads; or, with no text, a required field never came.
 * Only with the option `malformed: "event"`.
 */
export interface RegionMalformed {
  readonly type: 'region_malformed';
  readonly field: string;
  /** The region's text, as the model wrote it. */
  readonly raw: string;
  readonly reason: string;
}

/** Values of fields: JSON, except that numbers may be infinite or NaN. */
export type FieldValue = JsonValue;

/** The message that a response template makes. */
export interface TemplateMessage {
  [key: string]: FieldValue;
}
