/** Writes continued texts, in OpenAI's shape and in llama-server's. */
import { withoutUndefined } from '../../format/option-rules.ts';
import type { Finish } from '../../parser/events.ts';
import type { BegunAnswer } from '../endpoint.ts';
import type { Frame } from '../event-stream.ts';
import type { CompletionRequest } from './read-request.ts';

type Answer = BegunAnswer<CompletionRequest>;

/** A text as it arrives, and its end. */
interface Continued {
  readonly delta: string;
  /** `null` before the end. */
  readonly finish: Finish | null;
}

async function* continuation({ events, request }: Answer): AsyncGenerator<Continued, void> {
  if (request.echo) yield { delta: request.prompt, finish: null };
  for await (const event of events) {
    if (event.type === 'text-delta') yield { delta: event.delta, finish: null };
    if (event.type === 'finish') yield { delta: '', finish: event };
  }
}

async function whole(answer: Answer): Promise<Continued> {
  let text = '';
  let finish: Finish | null = null;
  for await (const next of continuation(answer)) {
    text += next.delta;
    finish = next.finish;
  }
  return { delta: text, finish };
}

/** OpenAI's whole response. */
export async function completeText(answer: Answer): Promise<object> {
  const continued = await whole(answer);
  return { ...head(answer), choices: [choiceOf(continued)], ...usageOf(continued) };
}

/** OpenAI's response in chunks. */
export async function* streamText(answer: Answer): AsyncGenerator<Frame, void> {
  let usage = {};
  for await (const continued of continuation(answer)) {
    if (continued.finish !== null) usage = usageOf(continued);
    yield { data: { ...head(answer), choices: [choiceOf(continued)] } };
  }
  if (answer.request.includeUsage) yield { data: { ...head(answer), choices: [], ...usage } };
  yield { data: '[DONE]' };
}

function head({ id, created, model }: Answer): object {
  return { id: `cmpl-${id}`, object: 'text_completion', created, model };
}

function choiceOf({ delta, finish }: Continued): object {
  const stop = withoutUndefined({ stop_reason: finish?.stopSequence });
  return { index: 0, text: delta, logprobs: null, finish_reason: finish?.reason ?? null, ...stop };
}

function usageOf({ finish }: Continued): object {
  const { promptTokens = 0, completionTokens = 0 } = finish?.usage ?? {};
  const total = promptTokens + completionTokens;
  const counts = { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: total };
  return { usage: counts };
}

/** llama-server's whole response. */
export async function completeNative(answer: Answer): Promise<object> {
  return nativeOf(answer, await whole(answer));
}

/** llama-server's response in chunks. */
export async function* streamNative(answer: Answer): AsyncGenerator<Frame, void> {
  for await (const continued of continuation(answer)) yield { data: nativeOf(answer, continued) };
}

function nativeOf({ model }: Answer, { delta, finish }: Continued): object {
  if (finish === null) return { index: 0, content: delta, stop: false };
  const { usage, stopSequence, reason } = finish;
  return {
    index: 0,
    content: delta,
    stop: true,
    model,
    stop_type: stopSequence === undefined ? (reason === 'length' ? 'limit' : 'eos') : 'word',
    stopping_word: stopSequence ?? '',
    tokens_predicted: usage?.completionTokens ?? 0,
    tokens_evaluated: usage?.promptTokens ?? 0,
    tokens_cached: usage?.cachedTokens ?? 0,
    truncated: false,
  };
}
