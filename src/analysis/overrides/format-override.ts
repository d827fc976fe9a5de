/** The shape of an override. */
import type { ChatFormat, Delimiters } from '../../format/chat-format.ts';

/** One data file. */
export interface FormatOverride {
  /** What it asserts, and why no render shows it. */
  readonly reason: string;
  /** Texts that occur in the source of every template of the family, including copies; all of them must be there. */
  readonly fragments: readonly string[];
  readonly format: Partial<Pick<ChatFormat, 'reasoning' | 'calls' | 'alternatives'>>;
  /** The markers of text before a call, if the template writes such text as thoughts. */
  readonly preamble?: Delimiters;
}
