/** What a case expects. */

import type { JsonObject } from '../format/messages.ts';
import { isRecord, type OptionRules, oneOf, string } from '../format/option-rules.ts';

/** The expected reading of a response. What is omitted must not occur. */
export interface ExpectedResponse {
  /** The answer, white space included. Default: none. */
  readonly content?: string;
  /** The thoughts without their markers. Default: none. */
  readonly reasoning?: string;
  /** All calls in order. Default: none. */
  readonly calls?: readonly ExpectedCall[];
  /** The malformed texts, in order. Default: none. */
  readonly malformed?: readonly string[];
  /** Default: not compared. */
  readonly finish?: 'stop' | 'tool-calls' | 'length';
}

/** An expected call. */
export interface ExpectedCall {
  readonly name: string;
  /** Compared as values: the order of keys and white space do not matter. */
  readonly arguments: JsonObject;
  /** Default: not compared. */
  readonly id?: string;
}

/** Rules for the fields of `ExpectedResponse`. */
export const expectedRules: OptionRules<ExpectedResponse> = {
  content: string,
  reasoning: string,
  calls: {
    expected: 'an array of calls ({ name, arguments })',
    allows: (value) => Array.isArray(value) && value.every(isRecord),
  },
  malformed: {
    expected: 'an array of strings',
    allows: (value) => Array.isArray(value) && value.every(string.allows),
  },
  finish: oneOf('stop', 'tool-calls', 'length'),
};
