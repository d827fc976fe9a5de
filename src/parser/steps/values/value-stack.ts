/** Where the value that is being read belongs: an entry of the arguments, and what it is nested in. */

import type { CompiledTransition } from '../../markers/markers.ts';
import type { PlainRun } from '../../markers/plain-run.ts';
import type { State } from '../../reader.ts';
import type { KeyedText, ValuePlace } from '../../state-tables.ts';
import type { SchemaPlace } from '../schema-place.ts';

/** Deepest nesting of values in a format's own notation. */
export const deepestNesting = 64;

/** What ends a value, taken apart. */
export interface Closer extends CompiledTransition<null> {
  /** The kinds of white space before it that may not be part of the value, and how much of them. */
  readonly spaces: string;
  readonly held: number;
  /** Its first two characters, or the only one. */
  readonly begin: string;
  /** Whether a piece of text can matter to it. */
  readonly plainRun: PlainRun;
}

/** A place on the stack; the value at the top is the one that is being read. */
export interface ValueStack {
  readonly place: ValuePlace<State>;
  readonly key: string;
  readonly schema: SchemaPlace;
  readonly outer: ValueStack | null;
  /** The nested value that is being read here: how it ends, what its frame ends with, how much it holds. */
  nested: { readonly closer: '}' | ']'; readonly frameClose: string; count: number } | null;
  /** What ends the value in a frame that ends with `frameClose`, once it has been asked for. */
  closer: { readonly frameClose: string; readonly closer: Closer } | null;
}

/** How many values enclose the one at the top. */
export function nestingDepth(values: ValueStack | null): number {
  let depth = 0;
  for (let each = values; each !== null; each = each.outer) depth++;
  return depth;
}

/** Text with the key put in. */
export function fillKey(text: KeyedText, key: string): string {
  return text.map((part) => (typeof part === 'string' ? part : key)).join('');
}
