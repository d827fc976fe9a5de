/** Texts continued without a conversation: OpenAI's oldest API, and llama-server's own. */
import type { Endpoint } from '../endpoint.ts';
import { openAiError } from '../openai-error.ts';
import {
  type CompletionRequest,
  fields,
  nativeFields,
  readCompletion,
  readNativeCompletion,
} from './read-request.ts';
import { completeNative, completeText, streamNative, streamText } from './write-response.ts';

const errors: Pick<Endpoint<CompletionRequest>, 'errorBody' | 'errorFrames'> = {
  errorBody: openAiError,
  errorFrames: ({ failure }) => [{ data: openAiError(failure) }],
};

/** `/v1/completions`. */
export const completions: Endpoint<CompletionRequest> = {
  path: '/v1/completions',
  fields,
  read: readCompletion,
  complete: completeText,
  stream: streamText,
  ...errors,
};

/** `/completion` and `/completions`. */
export const nativeCompletions: readonly Endpoint<CompletionRequest>[] = ['/completion', '/completions'].map(
  (path) => ({
    path,
    fields: nativeFields,
    read: readNativeCompletion,
    complete: completeNative,
    stream: streamNative,
    ...errors,
  }),
);
