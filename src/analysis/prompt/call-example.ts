/** What an example of a call in a prompt consists of. */
import type { Delimiters } from '../../format/chat-format.ts';

/** The example with its placeholders filled in, and the call that it then says. */
export interface CallSample {
  /** From the opener of the call, or its section, to its closer. */
  readonly text: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, string>>;
  /** The example has the markers around a call; without them, it shows only a part of what the model writes. */
  readonly isWhole: boolean;
}

interface Example {
  /** The example with its markers, as in the prompt. */
  readonly text: string;
  readonly sample: CallSample;
}

/** The text around a call, or around the list that contains it. */
export interface Surroundings {
  /** The example with its markers, as in the prompt. */
  readonly text: string;
  /** Markers, or a word directly before a list: `<tool_call>\n`, `functools`. */
  readonly open: string;
  readonly close: string;
  /** Calls are in square brackets. */
  readonly isList: boolean;
}

/** A JSON object with the name and the arguments under two keys. */
export interface JsonExample extends Example, Surroundings {
  readonly kind: 'json';
  readonly nameKey: string;
  readonly argumentsKey: string;
  /** The arguments stand before the name. */
  readonly argumentsFirst: boolean;
  /** The keys are those that the field uses: the prompt asks for JSON in words, without showing any. */
  readonly keysAssumed: boolean;
}

/** A call in Python notation. */
export interface PythonExample extends Example, Surroundings {
  readonly kind: 'python';
}

/** A name, and arguments with markers around their keys and values. */
export interface TaggedExample extends Example {
  readonly kind: 'tagged';
  /** Around several calls. */
  readonly section: Delimiters;
  readonly open: string;
  readonly afterName: string;
  readonly keyOpen: string;
  readonly keyToValue: string;
  readonly valueClose: string;
  readonly separator: string;
  readonly close: string;
}

/** A name, and JSON after it. */
export interface HeadedExample extends Example {
  readonly kind: 'headed';
  /** Around several calls. */
  readonly section: Delimiters;
  readonly call: Delimiters;
  readonly nameToArguments: string;
}

/** One example. */
export type CallExample = JsonExample | PythonExample | TaggedExample | HeadedExample;

/** What placeholders are filled with. */
export const sampleWords = { name: 'find_it', key: 'key_1', value: 'some value' } as const;

/** Examples are short; longer text is something else. */
export const maxExampleLength = 600;

/** Known after the prompt's examples have been compared. */
export interface WithExamples {
  readonly examples: readonly CallExample[];
}
