/** `/v1/responses`, OpenAI's newer API, without anything kept between two requests. */
import type { Endpoint } from '../endpoint.ts';
import { openAiError } from '../openai-error.ts';
import { type ResponsesRequest, readResponsesRequest } from './read-request.ts';
import { completeResponse, failedFrames, streamResponse } from './write-response.ts';

/** The API as the server knows it. */
export const responses: Endpoint<ResponsesRequest> = {
  path: '/v1/responses',
  read: readResponsesRequest,
  complete: completeResponse,
  stream: streamResponse,
  errorBody: openAiError,
  errorFrames: failedFrames,
};
