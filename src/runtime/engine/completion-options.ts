/** The options of a completion, and their rules. */
import {
  abortSignal,
  integerFrom,
  type OptionRules,
  searchedTexts,
  string,
} from '../../format/option-rules.ts';
import type { SamplingOptions } from '../chat/chat-options.ts';
import { samplingRules } from '../chat/sampling-rules.ts';

/** Options of a completion. */
export interface CompletionOptions extends SamplingOptions {
  /** The text to continue. Texts of special tokens in it become these. */
  readonly prompt: string;
  /** The maximum number of tokens. Default: as many as fit into the context. */
  readonly maxTokens?: number | undefined;
  /** Strings at which the text ends, themselves excluded. Default: none. */
  readonly stop?: readonly string[] | undefined;
  /** Ends it: iteration and `message` then throw the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** What each may be. */
export const completionRules: OptionRules<CompletionOptions> = {
  ...samplingRules,
  prompt: string,
  maxTokens: integerFrom(1, Number.POSITIVE_INFINITY),
  stop: searchedTexts,
  signal: abortSignal,
};
