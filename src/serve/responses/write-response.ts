/** Writes responses of `/v1/responses`: whole, or as typed events. */
import type { Usage } from '../../parser/events.ts';
import { DeviationLog } from '../deviations.ts';
import type { BegunAnswer, BrokenStream } from '../endpoint.ts';
import type { Frame } from '../event-stream.ts';
import { openAiError } from '../openai-error.ts';
import type { Body } from '../read-body.ts';
import { type OutputEvent, OutputItems } from './output-items.ts';
import type { ResponsesRequest } from './read-request.ts';

type Answer = BegunAnswer<ResponsesRequest>;

/** The whole response. */
export async function completeResponse(answer: Answer): Promise<object> {
  const output = new OutputItems(answer.id, answer.request.byFunction);
  const deviations = new DeviationLog();
  for await (const event of answer.events) {
    deviations.note(event);
    output.next(event);
  }
  return finishedResponse(answer, output, deviations);
}

/** The response as it arrives. */
export async function* streamResponse(answer: Answer): AsyncGenerator<Frame, void> {
  const output = new OutputItems(answer.id, answer.request.byFunction);
  const deviations = new DeviationLog();
  const number = numberedFrames();
  const begun = responseObject(answer, { status: 'in_progress', output: [] });
  yield number({ type: 'response.created', response: begun });
  yield number({ type: 'response.in_progress', response: begun });
  for await (const event of answer.events) {
    deviations.note(event);
    for (const next of output.next(event)) yield number(next);
  }
  const response = finishedResponse(answer, output, deviations);
  yield number({ type: `response.${isCut(output) ? 'incomplete' : 'completed'}`, response });
}

/** The last frames of a stream that failed: some clients expect one event, some the other. */
export function failedFrames({ failure, sent, answer }: BrokenStream<ResponsesRequest>): readonly Frame[] {
  const { code, message, param } = failure;
  const number = numberedFrames(sent);
  // Flat as in OpenAI's API, and nested as in Open Responses.
  const error = { type: 'error', code, message, param, ...openAiError(failure) };
  if (answer === null) return [number(error)];
  const response = responseObject(answer, { status: 'failed', error: { code, message } });
  return [number({ type: 'response.failed', response }), number(error)];
}

function numberedFrames(first = 0): (event: OutputEvent) => Frame {
  let next = first;
  return (event) => {
    const { type, ...rest } = event;
    const data = { type, sequence_number: next, ...rest };
    next += 1;
    return { event: type, data };
  };
}

function isCut({ finish }: OutputItems): boolean {
  return finish?.reason === 'length';
}

function finishedResponse(answer: Answer, output: OutputItems, deviations: DeviationLog): object {
  const usage = output.finish?.usage;
  if (answer.request.remembers) answer.items.remember(output.items);
  return {
    ...responseObject(answer, {
      status: isCut(output) ? 'incomplete' : 'completed',
      completed_at: Math.floor(Date.now() / 1000),
      incomplete_details: isCut(output) ? { reason: 'max_output_tokens' } : null,
      output: output.items,
      usage: usage === undefined ? null : usageOf(usage),
    }),
    ...deviations.found,
  };
}

/** Includes fields of the request, which the API repeats. */
function responseObject({ id, created, model, body, chat }: Answer, rest: object): object {
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
    output: [],
    parallel_tool_calls: chat.parallelToolCalls ?? true,
    previous_response_id: null,
    prompt_cache_key: textOrNull(body.prompt_cache_key),
    safety_identifier: textOrNull(body.safety_identifier),
    reasoning: shownReasoning(body.reasoning as Body | null | undefined),
    service_tier: 'default',
    store: false,
    temperature: chat.temperature ?? 1,
    text: shownText(body.text as object | null | undefined),
    tool_choice: body.tool_choice ?? 'auto',
    tools: (body.tools as readonly object[] | null | undefined)?.map(shownTool) ?? [],
    top_logprobs: chat.logprobs ?? 0,
    top_p: chat.topP ?? 1,
    presence_penalty: chat.presencePenalty ?? 0,
    frequency_penalty: chat.frequencyPenalty ?? 0,
    truncation: 'disabled',
    usage: null,
    metadata: body.metadata ?? {},
    ...rest,
  };
}

/** For a field that is not validated, because nothing depends on it. */
function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function shownReasoning(asked: Body | null | undefined): object {
  return { effort: textOrNull(asked?.effort), summary: textOrNull(asked?.summary) };
}

/** All fields of the API; the schema of an answer is always enforced. */
function shownText(text: object | null | undefined): object {
  const { format, ...rest } = { format: { type: 'text' }, ...text };
  const shown = format ?? { type: 'text' };
  if (shown.type !== 'json_schema') return { ...rest, format: shown };
  return { ...rest, format: { name: 'answer', description: null, strict: true, ...shown } };
}

/** All fields of the API. */
function shownTool(tool: object): object {
  return { description: null, parameters: null, strict: null, ...tool };
}

function usageOf({ promptTokens, cachedTokens, completionTokens, reasoningTokens }: Usage): object {
  return {
    input_tokens: promptTokens,
    // Nothing is charged for writing the cache; the field is required.
    input_tokens_details: { cached_tokens: cachedTokens ?? 0, cache_write_tokens: 0 },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  };
}
