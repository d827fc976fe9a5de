/** How the text of a response came about, as far as the caller knows it: what a grammar enforced needs no validation. */
import type { JsonObject } from '../format/messages.ts';
import { isRecord } from '../format/option-rules.ts';

/** What a caller that samples under a grammar knows about the text. Offsets are those of the events. */
export interface Provenance {
  /**
   * Whether the grammar of the tool allowed all text from `start` to `end`, as far as it is written. `otherTextEnd`:
   * where the latest text before the call ends that was not read as a call. A grammar that wrote such text, too, means
   * something else by it than the parser.
   */
  isEnforced(toolName: string, start: number, end: number, otherTextEnd: number): boolean;
  /** What is wrong with arguments that the grammar allowed, as far as no grammar can say it; nothing if absent. */
  problemsOf?(toolName: string, input: JsonObject): readonly string[];
  /** The text from `start` to `end`, for reports. */
  textOf(start: number, end: number): string;
}

/** Whether a value has the methods of a provenance. */
export function isProvenance(value: unknown): boolean {
  return isRecord(value) && typeof value.isEnforced === 'function' && typeof value.textOf === 'function';
}
