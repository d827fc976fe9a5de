/** `/v1/messages`, Anthropic's API. */
import type { Endpoint } from '../endpoint.ts';
import { fields, readMessagesRequest } from './read-request.ts';
import { completeMessage, messagesError, messagesErrorFrames, streamMessage } from './write-response.ts';

/** The endpoint of this API. */
export const messages: Endpoint = {
  path: '/v1/messages',
  fields,
  read: readMessagesRequest,
  complete: completeMessage,
  stream: streamMessage,
  errorBody: messagesError,
  errorFrames: messagesErrorFrames,
};
