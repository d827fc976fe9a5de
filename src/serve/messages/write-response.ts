/** Writes responses of `/v1/messages`: whole, or as events. */
import { parseExactJson } from '../../format/exact-json.ts';
import type { Finish, ResponseEvent, Usage } from '../../parser/events.ts';
import { DeviationLog, deviationsOf } from '../deviations.ts';
import type { BegunAnswer, BrokenStream } from '../endpoint.ts';
import type { Failure } from '../errors.ts';
import type { Frame } from '../event-stream.ts';

/** The whole response. */
export async function completeMessage(answer: BegunAnswer): Promise<object> {
  let finish: Finish | null = null;
  for await (const event of answer.events) if (event.type === 'finish') finish = event;
  const message = await answer.message();
  const { content, reasoning_content: thoughts, tool_calls: calls = [] } = message;
  return {
    ...messageObject(answer),
    content: [
      ...(thoughts === undefined ? [] : [{ type: 'thinking', thinking: thoughts, signature: '' }]),
      ...(content === null || content === '' ? [] : [{ type: 'text', text: content }]),
      ...calls.map(({ id, function: { name, arguments: input } }) => ({
        type: 'tool_use',
        id,
        name,
        input: parseExactJson(input),
      })),
    ],
    stop_reason: stopReason(finish),
    stop_sequence: finish?.stopSequence ?? null,
    usage: usageOf(finish?.usage),
    ...deviationsOf(message),
  };
}

/** The response as it arrives. */
export async function* streamMessage(answer: BegunAnswer): AsyncGenerator<Frame, void> {
  const blocks = new Blocks();
  const deviations = new DeviationLog();
  let finish: Finish | null = null;
  const promptTokens = await answer.promptTokens();
  yield frame({ type: 'message_start', message: messageObject(answer, { promptTokens: promptTokens ?? 0 }) });
  for await (const event of answer.events) {
    deviations.note(event);
    if (event.type === 'finish') finish = event;
    for (const next of blocks.next(event)) yield frame(next);
  }
  for (const next of blocks.end()) yield frame(next);
  const delta = { stop_reason: stopReason(finish), stop_sequence: finish?.stopSequence ?? null };
  yield frame({ type: 'message_delta', delta, usage: usageOf(finish?.usage), ...deviations.found });
  yield frame({ type: 'message_stop' });
}

/** The body of an error. */
export function messagesError({ status, code, message }: Failure, requestId: string): object {
  const error = { type: errorType(status), message, details: { error_code: code } };
  return { type: 'error', error, request_id: requestId };
}

/** The last frames of a stream that failed. */
export function messagesErrorFrames({ failure, requestId }: BrokenStream): readonly Frame[] {
  return [{ event: 'error', data: messagesError(failure, requestId) }];
}

const errorTypes: ReadonlyMap<number, string> = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [408, 'timeout_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [503, 'overloaded_error'],
]);

function errorType(status: number): string {
  return errorTypes.get(status) ?? (status < 500 ? 'invalid_request_error' : 'api_error');
}

interface MessageEvent {
  readonly type: string;
  readonly [field: string]: unknown;
}

function frame(event: MessageEvent): Frame {
  return { event: event.type, data: event };
}

/** `usage`: as far as it is known; cached tokens are only known at the end. */
function messageObject({ id, model }: BegunAnswer, usage: Partial<Usage> = {}): object {
  return {
    id: `msg_${id}`,
    type: 'message',
    role: 'assistant',
    model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: usageOf(usage),
  };
}

function stopReason(finish: Finish | null): string {
  if (finish?.reason === 'tool-calls') return 'tool_use';
  if (finish?.reason === 'length') return 'max_tokens';
  return finish?.stopSequence === undefined ? 'end_turn' : 'stop_sequence';
}

/** In this API, `input_tokens` does not include cached tokens. */
function usageOf(usage: Partial<Usage> | undefined): object {
  const { promptTokens = 0, cachedTokens, completionTokens = 0 } = usage ?? {};
  const cached = cachedTokens ?? 0;
  return {
    input_tokens: promptTokens - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: completionTokens,
  };
}

type BlockType = 'text' | 'thinking' | 'tool_use';

/** The blocks of a stream; at most one is open. */
class Blocks {
  #open: BlockType | null = null;
  #index = -1;

  /** The stream events for an event of the response. */
  next(event: ResponseEvent): readonly MessageEvent[] {
    switch (event.type) {
      case 'reasoning-delta':
        return this.#add('thinking', { type: 'thinking_delta', thinking: event.delta });
      case 'text-delta':
        return this.#add('text', { type: 'text_delta', text: event.delta });
      case 'tool-input-start': {
        const block = { type: 'tool_use', id: event.id, name: event.toolName, input: {} };
        return [...this.end(), this.#begin('tool_use', block)];
      }
      case 'tool-input-delta':
        return [this.#delta({ type: 'input_json_delta', partial_json: event.delta })];
      case 'reasoning-end':
      case 'text-end':
      case 'tool-input-end':
        return this.end();
      default:
        return [];
    }
  }

  /** Closes the open block, if any. */
  end(): readonly MessageEvent[] {
    if (this.#open === null) return [];
    this.#open = null;
    return [{ type: 'content_block_stop', index: this.#index }];
  }

  #add(type: 'text' | 'thinking', delta: object): readonly MessageEvent[] {
    if (this.#open === type) return [this.#delta(delta)];
    const block = type === 'text' ? { type, text: '' } : { type, thinking: '', signature: '' };
    return [...this.end(), this.#begin(type, block), this.#delta(delta)];
  }

  #begin(type: BlockType, block: object): MessageEvent {
    this.#open = type;
    this.#index += 1;
    return { type: 'content_block_start', index: this.#index, content_block: block };
  }

  #delta(delta: object): MessageEvent {
    return { type: 'content_block_delta', index: this.#index, delta };
  }
}
