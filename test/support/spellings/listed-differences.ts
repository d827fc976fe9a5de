/**
 * Where reader and grammar differ, and why: calls that a parser reads, and that the grammar in force does not let a
 * model write. It writes another spelling of them instead.
 */

import { callNotations } from '../../../src/format/call-notations.ts';

/** Texts that may differ; what is absent may be anything. */
export interface ListedDifference {
  /** What was changed in the call. */
  readonly changes?: readonly string[];
  /**
   * The grammar that refuses it: `response`, that of calls after the format's own opener; `format`, that of the rest of
   * a call in the format's notation without it; `json`; or `notation`, in one of other formats.
   */
  readonly grammars?: readonly ('response' | 'format' | 'json' | 'notation')[];
  /** How the call was spelled. */
  readonly spellings?: readonly string[];
  readonly reason: string;
}

/** All of them. */
export const listedDifferences: readonly ListedDifference[] = [
  {
    changes: ['order of keys'],
    reason:
      'Required arguments keep the order of the schema, so that they are forced; optional ones may come later. ' +
      "`argumentOrder: 'any'` leaves it to the model.",
  },
  {
    changes: ['white space', 'white space in several places'],
    grammars: ['response'],
    reason:
      'After the format’s own opener one spelling is written, the template’s: most of a call is forced then.',
  },
  {
    changes: ['white space', 'white space in several places'],
    grammars: ['format', 'notation'],
    reason: 'White space may stand between markers, but not within them, next to a name or a value.',
  },
  {
    changes: ['white space', 'white space in several places'],
    grammars: ['json'],
    reason: 'White space in JSON may follow brackets, commas and colons, not precede commas and colons.',
  },
  {
    changes: ['single quotes', 'single quotes throughout', 'Python’s words', 'a comma after the last'],
    reason: 'Text that is no JSON is repaired where no grammar holds; where one does, it is JSON.',
  },
  {
    changes: ['double quotes', 'double quotes throughout'],
    reason: 'Keys of Python’s dictionaries have single quotes.',
  },
  {
    changes: ['without its first marker'],
    grammars: ['notation'],
    spellings: ['own'],
    reason:
      'Without its first marker, a call in Python is in the notation of all such calls, whose dictionaries have keys in ' +
      'single quotes; those of the format may be JSON.',
  },
  {
    changes: ['an integer with a fraction'],
    reason: 'Integers between bounds have one spelling.',
  },
  {
    changes: ['escapes'],
    reason: 'Names, keys and words of a list have one spelling, strings in a template’s layout its escapes.',
  },
  {
    changes: ['its first marker twice', 'a foreign tag', 'a foreign marker'],
    grammars: ['response'],
    reason: 'The format’s own opener begins its grammar at once, whatever would have followed.',
  },
  {
    changes: ['text after', 'a line break after', 'a fence', 'a foreign tag', 'a list'],
    grammars: ['response'],
    reason: 'Where nothing closes calls, or a bracket does, the response ends with them.',
  },
  {
    grammars: ['format', 'response'],
    spellings: ['json', 'compact', 'indented', 'as in APIs', 'name as function', 'list of calls'],
    reason: 'Calls that are one object in the format, too, keep its keys and its layout from the name on.',
  },
  {
    grammars: ['format', 'response'],
    spellings: Object.keys(callNotations),
    reason:
      'A notation that begins as the format’s own calls do is theirs, with values as the template writes them.',
  },
];
