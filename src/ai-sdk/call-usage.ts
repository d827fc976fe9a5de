/** Tokens of a response in the AI SDK's words. */
import type { LanguageModelV3Usage } from '@ai-sdk/provider';
import type { Finish } from '../parser/events.ts';

/** What a response cost. Unknown figures are `undefined`, never 0. */
export function callUsage(_finish: Finish): LanguageModelV3Usage {
  return {
    inputTokens: { total: undefined, noCache: undefined, cacheRead: undefined, cacheWrite: undefined },
    outputTokens: { total: undefined, text: undefined, reasoning: undefined },
  };
}
