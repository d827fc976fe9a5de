/** What a reader and its steps are told by the caller of a parser. */
import type { WriterOptions } from './event-writer.ts';
import type { ToolTable } from './tool-table.ts';

/** Options that the steps read. */
export interface ReaderOptions extends WriterOptions {
  readonly tools: ToolTable;
  /** Thoughts stay in the content, with their markers. */
  readonly thoughtsInText: boolean;
  /** More than one call may be made. */
  readonly parallel: boolean;
  readonly specialTokens: readonly string[];
  /** Deviations from the format are read if only one meaning is possible. */
  readonly lenient: boolean;
  /** The prompt opened reasoning, in a format without a marker for it. */
  readonly thoughtOpened: boolean;
}
