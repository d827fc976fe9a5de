/** Models of known words over HTTP, in several notations, and what to ask them. */
import { z } from 'zod';
import type { ChatFormat } from '../../src/format/chat-format.ts';
import type { AssistantMessage } from '../../src/format/messages.ts';
import type { ResponseEvent, ResponseMessage } from '../../src/parser/events.ts';
import { GeneratedChat } from '../../src/runtime/chat/chat-stream.ts';
import { type RunningServer, type ServableModel, type ServeOptions, serve } from '../../src/serve/index.ts';
import { type Turn, type WrittenModel, writtenModel } from '../ai-sdk/written-model.ts';
import { generatedFormats } from '../support/generated-formats.ts';

const notations = [
  'qwen-qwen3-0.6b',
  'qwen3-coder',
  'openai-gpt-oss-120b',
  'kimi-k2-instruct',
  'meta-llama-llama-3.1-8b-instruct',
];

/** Five notations: JSON in tags, tagged arguments, channels, indexed names, bare JSON. */
export const formats = generatedFormats().filter(({ name }) => notations.includes(name));

/** JSON in tags. */
export const anyFormat: ChatFormat = z
  .custom<ChatFormat>((format) => format !== undefined)
  .parse(formats.find(({ name }) => name === 'qwen-qwen3-0.6b')?.format);

export const answer: Turn = { role: 'assistant', content: 'It is 21 degrees in Bern.' };

export function call(city: string, id = 'abcdefghi'): NonNullable<AssistantMessage['tool_calls']>[number] {
  return { id, type: 'function', function: { name: 'get_weather', arguments: JSON.stringify({ city }) } };
}
export const oneCall: Turn = { role: 'assistant', content: null, tool_calls: [call('Bern')] };

/** Whether its thoughts have a marker that begins them. */
export function isThoughtful({ reasoning }: ChatFormat): boolean {
  return reasoning !== null && reasoning.start !== '';
}

export const question = { role: 'user', content: 'How warm is it in Bern?' } as const;

export const weatherSchema = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
} as const;

export const weatherTool = {
  type: 'function',
  function: { name: 'get_weather', description: 'The weather in a city.', parameters: weatherSchema },
} as const;

export interface Served extends RunningServer {
  readonly model: WrittenModel;
}

/** Serves a model that answers with `turns`. */
export async function serveTurns(
  format: ChatFormat,
  turns: readonly Turn[],
  options: ServeOptions = {},
): Promise<Served> {
  const model = writtenModel(format, turns);
  return { ...(await serve(model, { port: 0, ...options })), model };
}

/** A model that says one word, and then its engine stops. */
export function brokenModel(): ServableModel & Required<Pick<ServableModel, 'chat'>> {
  async function* write(): AsyncGenerator<ResponseEvent, ResponseMessage> {
    yield { type: 'text-start', id: 'text-0', start: 0, end: 0 };
    yield { type: 'text-delta', id: 'text-0', delta: 'word', start: 0, end: 4 };
    throw new Error('the engine stopped');
  }
  const chat = () =>
    new GeneratedChat(
      write(),
      () => ({ role: 'assistant', content: null }) as const,
      async () => [],
    );
  return { name: 'broken', chat };
}
