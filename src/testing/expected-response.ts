/** What a case expects. */

import type { JsonObject } from '../format/messages.ts';
import { isRecord, type OptionRules, oneOf, string } from '../format/option-rules.ts';

/** What a response should be read as. What is left out must not be there. */
export interface ExpectedResponse {
  /** The answer, white space included. Default: none. */
  readonly content?: string;
  /** The thoughts without their markers. Default: none. */
  readonly reasoning?: string;
  /** All calls in order. Default: none. */
  readonly calls?: readonly ExpectedCall[];
  /** The raw texts that fit nowhere, in order. Default: none. */
  readonly malformed?: readonly string[];
  /** Default: not compared. */
  readonly finish?: 'stop' | 'tool-calls' | 'length';
}

/** One call that is expected. */
export interface ExpectedCall {
  readonly name: string;
  /** Compared as values: the order of keys and white space do not count. */
  readonly arguments: JsonObject;
  /** Default: not compared. */
  readonly id?: string;
}

/** What `ExpectedResponse` may hold. */
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
