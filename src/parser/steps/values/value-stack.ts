/** Where the value being read belongs: an entry of the arguments, and the containers around it. */

import type { CompiledTransition } from '../../markers/compiled-transition.ts';
import type { PlainRun } from '../../markers/plain-run.ts';
import type { KeyedText, ValuePlace } from '../../state-tables.ts';
import type { SchemaPlace } from '../schema-place.ts';

/** Maximum nesting of values in a format's own notation. */
export const maxNesting = 64;

/** The end of a value, split into parts. */
export interface Closer extends CompiledTransition<null> {
  /** The characters of white space before it that may not be part of the value, and how many of them. */
  readonly spaces: string;
  readonly held: number;
  /** Its first two characters, or its only one. */
  readonly begin: string;
  /** Finds plain text, which cannot begin it. */
  readonly plainRun: PlainRun;
  /** How the tag begins that its own closes; `null` if it is no closing tag. */
  readonly opener: string | null;
  /** What it closes: that tag or, for a closer of several tags, what opens an argument; `null` if neither. */
  readonly closes: string | null;
  /** What is left of a closer of several tags without one or two of them, as JSON of a string that ends with it. */
  readonly damaged: readonly string[];
}

/** A place on the stack; the value at the top is being read. `Ref` is a state, as in the tables of states. */
export interface ValueStack<Ref> {
  readonly place: ValuePlace<Ref>;
  readonly key: string;
  readonly schema: SchemaPlace;
  readonly outer: ValueStack<Ref> | null;
  /** The marker before the value lacks a part. */
  lacksOpener: boolean;
  /** The nested value being read here: its closer, the end of its frame, and its number of elements. */
  nested: { readonly closer: '}' | ']'; readonly frameClose: string; count: number } | null;
  /** The end of the value in a frame that ends with `frameClose`; computed on demand. */
  closer: { readonly frameClose: string; readonly closer: Closer } | null;
}

/** How many values enclose the one at the top. */
export function nestingDepth(values: ValueStack<unknown> | null): number {
  let depth = 0;
  for (let each = values; each !== null; each = each.outer) depth++;
  return depth;
}

/** The text with the key filled in. */
export function fillKey(text: KeyedText, key: string): string {
  return text.map((part) => (typeof part === 'string' ? part : key)).join('');
}
