/** The server that the page came from. */
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type { Message } from '../../../src/format/messages.ts';
import type { Chunk } from './chunks.ts';

/** An answer that is none; `needsKey` where the server asks for a key, or for another one. */
export class ServerProblem extends Error {
  readonly needsKey: boolean;

  constructor(message: string, needsKey: boolean) {
    super(message);
    this.needsKey = needsKey;
  }
}

/** A request for a response. */
export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly tools: readonly unknown[];
  readonly toolChoice: 'auto' | 'required' | 'none';
  readonly thinks: boolean;
  readonly maxTokens: number | null;
}

/** Names of the models. Throws `ServerProblem`. */
export async function listModels(key: string): Promise<readonly string[]> {
  const response = await ask('v1/models', { headers: headersOf(key) });
  const { data } = (await response.json()) as { readonly data: readonly { readonly id: string }[] };
  return data.map(({ id }) => id);
}

/** The chunks of a response. Throws `ServerProblem`, and the signal's reason. */
export async function* streamChat(
  request: ChatRequest,
  key: string,
  signal: AbortSignal,
): AsyncGenerator<Chunk, void> {
  const headers = { ...headersOf(key), 'content-type': 'application/json' };
  const body = JSON.stringify(bodyOf(request));
  const response = await ask('v1/chat/completions', { method: 'POST', headers, body, signal });
  const events = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  const reader = events?.getReader();
  for (let next = await reader?.read(); next !== undefined && !next.done; next = await reader?.read()) {
    if (next.value.data === '[DONE]') return;
    yield JSON.parse(next.value.data) as Chunk;
  }
}

function bodyOf({ model, messages, tools, toolChoice, thinks, maxTokens }: ChatRequest): object {
  return {
    model,
    messages,
    stream: true,
    stream_options: { include_usage: true },
    ...(tools.length === 0 ? {} : { tools, tool_choice: toolChoice }),
    ...(thinks ? {} : { reasoning_effort: 'none' }),
    ...(maxTokens === null ? {} : { max_completion_tokens: maxTokens }),
  };
}

function headersOf(key: string): Record<string, string> {
  return key === '' ? {} : { authorization: `Bearer ${key}` };
}

async function ask(path: string, request: RequestInit): Promise<Response> {
  const response = await fetch(path, request);
  if (response.ok) return response;
  const said = (await response.json().catch(() => null)) as { error?: { message?: string } } | null;
  const reason = said?.error?.message ?? response.statusText;
  throw new ServerProblem(`${response.status}: ${reason}`, response.status === 401);
}
