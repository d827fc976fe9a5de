/** The shape of an override. */
import type { ChatFormat } from '../../format/chat-format.ts';

/** One data file. */
export interface FormatOverride {
  /** What it asserts, and why no render shows it. */
  readonly reason: string;
  /** Texts that stand, all of them, in the source of every template of the family, copies included. */
  readonly fragments: readonly string[];
  readonly format: Partial<Pick<ChatFormat, 'reasoning' | 'calls' | 'alternatives'>>;
}
