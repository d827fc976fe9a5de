/** `/v1/responses`, OpenAI's newer API; of earlier answers, it knows recent items. */
import type { Endpoint } from '../endpoint.ts';
import { openAiError } from '../openai-error.ts';
import { fields, type ResponsesRequest, readResponsesRequest } from './read-request.ts';
import { completeResponse, failedFrames, streamResponse } from './write-response.ts';

/** The endpoint of this API. */
export const responses: Endpoint<ResponsesRequest> = {
  path: '/v1/responses',
  fields,
  read: readResponsesRequest,
  complete: completeResponse,
  stream: streamResponse,
  errorBody: openAiError,
  errorFrames: failedFrames,
};
