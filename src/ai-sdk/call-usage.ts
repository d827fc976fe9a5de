/** Tokens of a response in the AI SDK's words. */
import type { LanguageModelV3Usage } from '@ai-sdk/provider';
import type { Finish } from '../parser/events.ts';

/** What a response cost. Unknown figures are `undefined`, never 0. */
export function callUsage({ usage }: Finish): LanguageModelV3Usage {
  const { promptTokens, cachedTokens, completionTokens, reasoningTokens } = usage ?? {};
  const isCounted = promptTokens !== undefined && typeof cachedTokens === 'number';
  return {
    inputTokens: {
      total: promptTokens,
      noCache: isCounted ? promptTokens - cachedTokens : undefined,
      cacheRead: cachedTokens ?? undefined,
      cacheWrite: undefined,
    },
    outputTokens: {
      total: completionTokens,
      // Calls are written as text is.
      text: usage === undefined ? undefined : usage.textTokens + usage.callTokens,
      reasoning: reasoningTokens,
    },
  };
}
