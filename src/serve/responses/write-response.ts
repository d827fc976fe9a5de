/** Responses of `/v1/responses`: whole, and as typed events. */
import type { Usage } from '../../parser/events.ts';
import type { BegunAnswer } from '../endpoint.ts';
import type { Failure } from '../errors.ts';
import type { Frame } from '../event-stream.ts';
import { TroubleLog } from '../trouble.ts';
import { type OutputEvent, OutputItems } from './output-items.ts';

/** The whole response. */
export async function completeResponse(answer: BegunAnswer): Promise<object> {
  const output = new OutputItems(answer.id);
  const trouble = new TroubleLog();
  for await (const event of answer.events) {
    trouble.note(event);
    output.next(event);
  }
  return finishedResponse(answer, output, trouble);
}

/** The response as it comes. */
export async function* streamResponse(answer: BegunAnswer): AsyncGenerator<Frame, void> {
  const output = new OutputItems(answer.id);
  const trouble = new TroubleLog();
  const number = numberedFrames();
  const begun = responseObject(answer, { status: 'in_progress', output: [] });
  yield number({ type: 'response.created', response: begun });
  yield number({ type: 'response.in_progress', response: begun });
  for await (const event of answer.events) {
    trouble.note(event);
    for (const next of output.next(event)) yield number(next);
  }
  const response = finishedResponse(answer, output, trouble);
  yield number({ type: `response.${isCut(output) ? 'incomplete' : 'completed'}`, response });
}

/** The end of a stream that failed. */
export function failedFrame({ code, message, param }: Failure): Frame {
  return { event: 'error', data: { type: 'error', code, message, param, sequence_number: 0 } };
}

function numberedFrames(): (event: OutputEvent) => Frame {
  let number = -1;
  return (event) => {
    number += 1;
    const { type, ...rest } = event;
    return { event: type, data: { type, sequence_number: number, ...rest } };
  };
}

function isCut({ finish }: OutputItems): boolean {
  return finish?.reason === 'length';
}

function finishedResponse(answer: BegunAnswer, output: OutputItems, trouble: TroubleLog): object {
  const usage = output.finish?.usage;
  return {
    ...responseObject(answer, {
      status: isCut(output) ? 'incomplete' : 'completed',
      completed_at: Math.floor(Date.now() / 1000),
      incomplete_details: isCut(output) ? { reason: 'max_output_tokens' } : null,
      output: output.items,
      usage: usage === undefined ? null : usageOf(usage),
    }),
    ...trouble.found,
  };
}

/** With what the request said, as the API repeats it. */
function responseObject({ id, created, model, body, request }: BegunAnswer, rest: object): object {
  const { chat } = request;
  return {
    id: `resp_${id}`,
    object: 'response',
    created_at: created,
    completed_at: null,
    status: 'in_progress',
    background: false,
    error: null,
    incomplete_details: null,
    instructions: body.instructions ?? null,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: null,
    model,
    parallel_tool_calls: chat.parallelToolCalls ?? true,
    previous_response_id: null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    safety_identifier: body.safety_identifier ?? null,
    reasoning: { effort: null, summary: null, ...(body.reasoning as object | undefined) },
    service_tier: 'default',
    store: false,
    temperature: body.temperature ?? 1,
    text: { format: { type: 'text' }, ...(body.text as object | undefined) },
    tool_choice: body.tool_choice ?? 'auto',
    tools: (body.tools as readonly object[] | undefined)?.map(shownTool) ?? [],
    top_logprobs: 0,
    top_p: body.top_p ?? 1,
    presence_penalty: body.presence_penalty ?? 0,
    frequency_penalty: body.frequency_penalty ?? 0,
    truncation: 'disabled',
    usage: null,
    metadata: body.metadata ?? {},
    ...rest,
  };
}

/** Every field that the API has. */
function shownTool(tool: object): object {
  return { description: null, parameters: null, strict: null, ...tool };
}

function usageOf({ promptTokens, cachedTokens, completionTokens, reasoningTokens }: Usage): object {
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens ?? 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  };
}
