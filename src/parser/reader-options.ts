/** What a reader, its steps and its writer are told by the caller of a parser. */

import type { ToolTable } from './tool-table.ts';
import type { CallCheck } from './writer/call-verdict.ts';

/** Options that the writer of events reads. */
export interface WriterOptions extends CallCheck {
  readonly markers: boolean;
  /** Whether the message is wanted; otherwise emitted text is not stored. */
  readonly keeps: boolean;
  /** Creates the id of a call if the model had written none when its name became known. */
  readonly createId: (index: number) => string;
  readonly tools: ToolTable;
  /** Text that looks like a call is told. */
  readonly seeksCalls: boolean;
}

/** Options that the steps read. */
export interface ReaderOptions extends WriterOptions {
  /** Thoughts stay in the content, with their markers. */
  readonly thoughtsInText: boolean;
  /** More than one call may be made. */
  readonly parallel: boolean;
  readonly specialTokens: readonly string[];
  /** Deviations from the format are read if only one meaning is possible. */
  readonly lenient: boolean;
  /** An answer is JSON: markers in its strings are text. */
  readonly answersJson: boolean;
  /** The prompt opened reasoning, in a format without a marker for it. */
  readonly thoughtOpened: boolean;
}
