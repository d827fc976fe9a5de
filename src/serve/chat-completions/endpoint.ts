/** `/v1/chat/completions`, OpenAI's older API. */
import type { Endpoint } from '../endpoint.ts';
import { openAiError } from '../openai-error.ts';
import { type ChatCompletionRequest, fields, readChatCompletion } from './read-request.ts';
import { completeChat, streamChat } from './write-response.ts';

/** The endpoint of this API. */
export const chatCompletions: Endpoint<ChatCompletionRequest> = {
  path: '/v1/chat/completions',
  fields,
  read: readChatCompletion,
  complete: completeChat,
  stream: streamChat,
  errorBody: openAiError,
  errorFrames: ({ failure }) => [{ data: openAiError(failure) }],
};
