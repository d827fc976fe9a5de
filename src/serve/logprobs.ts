/** The probabilities of an answer's tokens, in the shape of OpenAI's APIs. */
import type { LikelyToken, ResponseEvent, TokenLogprob } from '../parser/events.ts';

/** The probabilities of the tokens that an event adds to the answer. */
export function logprobsOf(event: ResponseEvent): readonly object[] {
  return event.type === 'text-delta' ? (event.logprobs ?? []).map(shownToken) : [];
}

function shownToken({ top, ...token }: TokenLogprob): object {
  return { ...likely(token), top_logprobs: top.map(likely) };
}

function likely({ token, logprob, bytes }: LikelyToken): object {
  return { token, logprob, bytes };
}
