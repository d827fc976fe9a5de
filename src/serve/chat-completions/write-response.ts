/** Writes responses of `/v1/chat/completions`: whole, or in chunks. */

import { withoutUndefined } from '../../format/option-rules.ts';
import { ChatDeltas } from '../../parser/assistant-message.ts';
import type { Finish, ResponseMessage, Usage } from '../../parser/events.ts';
import { DeviationLog, deviationsOf } from '../deviations.ts';
import type { BegunAnswer } from '../endpoint.ts';
import type { Frame } from '../event-stream.ts';
import { logprobsOf } from '../logprobs.ts';
import type { ChatCompletionRequest } from './read-request.ts';

type Answer = BegunAnswer<ChatCompletionRequest>;

/** The whole response. */
export async function completeChat(answer: Answer): Promise<object> {
  let finish: Finish | null = null;
  const logprobs: object[] = [];
  for await (const event of answer.events) {
    logprobs.push(...logprobsOf(event));
    if (event.type === 'finish') finish = event;
  }
  const shown = answer.chat.logprobs === undefined ? null : { content: logprobs, refusal: null };
  const message = await answer.message();
  return {
    ...head(answer, 'chat.completion'),
    choices: [
      {
        index: 0,
        message: plainMessage(message),
        logprobs: shown,
        finish_reason: finishReason(finish),
        ...stopReason(finish),
      },
    ],
    ...withoutUndefined({ usage: finish?.usage && usageOf(finish.usage) }),
    ...deviationsOf(message),
    ...(answer.verbose || answer.request.verbose ? { __verbose: { prompt: await answer.prompt() } } : {}),
  };
}

/** The response in chunks. */
export async function* streamChat(answer: Answer): AsyncGenerator<Frame, void> {
  const deltas = new ChatDeltas();
  const deviations = new DeviationLog();
  const { includeUsage } = answer.request;
  const chunk = (choices: readonly object[], rest: object = {}): Frame => ({
    data: {
      ...head(answer, 'chat.completion.chunk'),
      choices,
      ...(includeUsage ? { usage: null } : {}),
      ...rest,
    },
  });
  let finish: Finish | null = null;
  for await (const event of answer.events) {
    deviations.note(event);
    const converted = deltas.convert(event);
    if (converted === null) continue;
    const isLast = event.type === 'finish';
    if (isLast) finish = event;
    const tokens = logprobsOf(event);
    const logprobs = tokens.length === 0 ? null : { content: tokens, refusal: null };
    yield chunk(
      [{ index: 0, ...converted, logprobs, ...stopReason(finish) }],
      isLast ? deviations.found : {},
    );
  }
  if (includeUsage && finish?.usage !== undefined) yield chunk([], { usage: usageOf(finish.usage) });
  yield { data: '[DONE]' };
}

function head({ id, created, model }: Answer, object: string) {
  return { id: `chatcmpl-${id}`, object, created, model };
}

function plainMessage({ content, reasoning_content: thoughts, tool_calls: calls }: ResponseMessage): object {
  const hasCalls = calls !== undefined && calls.length > 0;
  return {
    role: 'assistant',
    content: content ?? (hasCalls ? null : ''),
    refusal: null,
    ...withoutUndefined({
      reasoning_content: thoughts,
      tool_calls: hasCalls ? calls.map(({ assurance: _, ...call }) => call) : undefined,
    }),
  };
}

function finishReason(finish: Finish | null): string {
  return finish?.reason === 'tool-calls' ? 'tool_calls' : (finish?.reason ?? 'stop');
}

/** The stop that ended the answer, under vLLM's name; OpenAI's API has no field for it. */
function stopReason(finish: Finish | null): object {
  return finish?.stopSequence === undefined ? {} : { stop_reason: finish.stopSequence };
}

function usageOf({ promptTokens, cachedTokens, completionTokens, reasoningTokens }: Usage): object {
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: cachedTokens === null ? {} : { cached_tokens: cachedTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  };
}
