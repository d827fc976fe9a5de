/** Converts the usage of a response to the AI SDK's type. */
import type { LanguageModelV3Usage } from '@ai-sdk/provider';
import type { Finish } from '../parser/events.ts';

/** The tokens of a response. Unknown figures are `undefined`, never 0. */
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
      // The SDK counts calls as text.
      text: usage === undefined ? undefined : usage.textTokens + usage.callTokens,
      reasoning: reasoningTokens,
    },
  };
}
